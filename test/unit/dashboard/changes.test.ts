import { shownValue } from '../../../src/dashboard/team/changes.tsx';

it.each([
  ['amountCents', 4200, '$42.00'],
  ['userAgent', 'Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 Chrome/150.0 Safari/537.36', 'Chrome'],
  ['reason', 'requestedByCustomer', 'Requested by the customer'],
  ['status', 'disabled', 'Disabled'],
  ['role', 'owner', 'Owner'],
  ['reason', 'fraudulent', 'Fraudulent'],
  ['events', ['payment.paid', 'refund.*'], 'Payment paid, All refund events'],
  ['scopes', ['payments:read'], 'Read payments'],
  ['name', 'disabled', 'disabled'],
  ['expiresAt', '2030-03-12T17:05:00.000Z', '12 Mar 2030, 14:05'],
  ['paymentId', '0195f3a2-7c44-7b1e-9a51-2f6e5a7c8b90', '…5a7c8b90'],
  ['customMode', true, 'yes'],
  ['methods', ['card', 'pix'], 'Card, Pix'],
  ['expiresAt', null, 'none'],
  ['scopes', [], 'none'],
  ['url', 'https://shop.example/hooks', 'https://shop.example/hooks'],
  ['name', '9999-12-31T23:59:60Z', '9999-12-31T23:59:60Z'],
  ['name', 'toString', 'To string'],
  ['reason', 'constructor', 'Constructor'],
  ['scopes', ['constructor'], 'constructor'],
  ['events', ['constructor'], 'Constructor'],
])('shows %s %j of an audit entry as %s', (name, value, shown) => {
  expect(shownValue(name, value, { timeZone: 'America/Sao_Paulo' })).toBe(shown);
});
