import { formatMoney } from '../../../src/domain/money.ts';

it.each([
  [2_500, 'USD', '$25.00'],
  [123_456, 'USD', '$1,234.56'],
  [3_100, 'EUR', '31.00 EUR'],
])('shows %d of %s as %s', (amountCents, currency, shown) => {
  expect(formatMoney(amountCents, currency)).toBe(shown);
});
