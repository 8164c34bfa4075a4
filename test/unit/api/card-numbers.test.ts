import { Writable } from 'node:stream';
import { createEndpointBody } from '../../../src/api/webhook-endpoints/bodies.ts';
import { evidenceFault } from '../../../src/operations/disputes/stage-evidence.ts';
import { parseBody } from '../../../src/api/http/input.ts';
import { parseCreatePayment } from '../../../src/api/payments/create.ts';
import { parseCreateRefund } from '../../../src/api/refunds/write.ts';
import { createLogger } from '../../../src/runtime/logger.ts';

const card = '4242424242424242';
const grouped = '4242 4242-4242 4242';
const create = {
  amountCents: 2500,
  currency: 'USD',
  reference: 'order-1',
  successUrl: 'https://shop.example/ok',
  cancelUrl: 'https://shop.example/no',
};
const payment = (fields: object) =>
  parseCreatePayment({ ...create, ...fields }, { allowHttpLoopback: false });
const endpoint = (fields: object) =>
  parseBody(createEndpointBody({ allowLoopback: false }), { url: 'https://shop.example/hook', ...fields });

it.each([
  ['reference', payment({ reference: `order ${grouped}` })],
  ['successUrl', payment({ successUrl: `https://shop.example/ok?c=${card}` })],
  ['cancelUrl', payment({ cancelUrl: `https://shop.example/${card}` })],
  ['customer.email', payment({ customer: { email: `${card}@shop.example` } })],
  ['customer.name', payment({ customer: { name: grouped } })],
  ['customer.documentNumber', payment({ customer: { documentNumber: card } })],
  ['customer.phone', payment({ customer: { phone: grouped } })],
  ['metadata', payment({ metadata: { note: grouped } })],
  ['metadata', payment({ metadata: { deep: [{ [card]: true }] } })],
  ['metadata', payment({ metadata: { number: 4242424242424242 } })],
  ['reference', parseCreateRefund({ reference: card })],
  ['metadata', parseCreateRefund({ metadata: { card } })],
  ['url', endpoint({ url: `https://shop.example/hook/${card}` })],
  ['description', endpoint({ description: card })],
])('a card number in %s is refused, naming the field without the number', (field, parsed) => {
  expect(parsed).toMatchObject({ ok: false, field });
  expect(JSON.stringify(parsed)).toContain('card number');
  expect(JSON.stringify(parsed)).not.toMatch(/4242/);
});

it.each([{ note: `The customer gave ${grouped}.` }, { note: card }])(
  'a card number in evidence is refused without repeating it: %j',
  (evidence) => {
    expect(evidenceFault(evidence)).toBe('must not contain a card number');
  },
);

it.each([
  ['a telephone number', { customer: { phone: '+4915112345678' } }],
  ['the longest telephone number', { customer: { phone: '+378282246310005' } }],
  ['a CNPJ', { customer: { documentNumber: '36227206271667' } }],
  ['a number of 13 digits', { customer: { documentNumber: '4222222222222' } }],
  ['an order number of 16 digits', { reference: '2026112200000016' }],
  ['an order number that passes for a card of no listed issuer', { reference: '4390000000000000' }],
])('accepts %s in its own field', (_what, fields) => {
  expect(payment(fields)).toMatchObject({ ok: true });
});

it('no card number reaches a log at any place of a line, and every line stays JSON', () => {
  const lines: string[] = [];
  const to = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const logger = createLogger('test', 'info', to);
  logger.info({ reference: card, deep: { note: `x ${grouped}` } }, `refused ${card}`);
  logger.info({ [card]: 1, ms: 4242424242424242 }, 'refused');
  logger.info({ ms: 12, paymentId: '019ab3c4-1234-7123-8123-123456789012' }, 'kept');
  expect(lines.join('')).not.toMatch(/4242/);
  expect(lines.map((line) => JSON.parse(line) as Record<string, unknown>)).toMatchObject([
    { msg: 'refused [card number]', reference: '[card number]' },
    { msg: 'refused' },
    { msg: 'kept', ms: 12, paymentId: '019ab3c4-1234-7123-8123-123456789012' },
  ]);
});
