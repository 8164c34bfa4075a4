import Fastify from 'fastify';
import { handleError } from '../../../../src/api/http/errors.ts';
import { Refusal, type RefusalCode, refusals } from '../../../../src/domain/refusals.ts';

const app = Fastify();
app.setErrorHandler(handleError);
const refuse = async (request: { headers: Record<string, unknown> }): Promise<never> => {
  throw new Refusal(String(request.headers['x-code']) as RefusalCode);
};
app.post('/v1/payments', refuse);
app.get('/v1/payments', refuse);
app.post('/v1/payments/:id/pay', refuse);
app.post('/v1/payments/:id/confirm', refuse);
app.post('/v1/payments/:id/capture', refuse);
app.post('/v1/payments/:id/refunds', refuse);
afterAll(() => app.close());

async function recovery(method: 'GET' | 'POST', url: string, code: string, key?: string) {
  const headers = { 'x-code': code, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const answer = await app.inject({ method, url, headers });
  expect(answer.statusCode).toBe(refusals[code as RefusalCode].status);
  return answer.headers['recovery'];
}

/** Deliberately written a second time, by status and meaning, to detect a mistake in the table. */
const expected: Record<RefusalCode, string> = {
  invalid_request: 'fix_request',
  invalid_query: 'fix_request',
  unauthorized: 'fix_request',
  insufficient_scope: 'fix_request',
  address_not_allowed: 'fix_request',
  cap_reached: 'none',
  not_found: 'fix_request',
  validation_failed: 'fix_request',
  idempotency_key_reused: 'fix_request',
  idempotency_in_progress: 'retry_same_key',
  payment_in_progress: 'read_status',
  confirmation_in_progress: 'read_status',
  result_pending: 'read_status',
  action_required: 'ask_customer',
  card_token_rejected: 'ask_customer',
  checkout_expired: 'new_payment',
  attempts_exhausted: 'new_payment',
  rate_limited: 'retry_later',
  too_many_declines: 'retry_later',
  service_unavailable: 'read_status',
  confirmation_not_required: 'none',
  payment_not_refundable: 'none',
  refund_not_cancelable: 'none',
  evidence_already_submitted: 'none',
  sandbox_not_applicable: 'none',
  dispute_closed: 'none',
  evidence_past_due: 'none',
};

it.each(Object.keys(refusals))('%s of a pay names the next step', async (code) => {
  expect(await recovery('POST', '/v1/payments/x/pay', code)).toBe(expected[code as RefusalCode]);
});

it('the recovery of a 503 depends on the call: repeat with the same key, read the status of a pay, or retry', async () => {
  const of = (method: 'GET' | 'POST', path: string, key?: string) =>
    recovery(method, path, 'service_unavailable', key);
  expect(await of('POST', '/v1/payments')).toBe('retry_same_key');
  expect(await of('POST', '/v1/payments/x/refunds', 'order-1001-refund-1')).toBe('retry_same_key');
  expect(await of('POST', '/v1/payments/x/pay')).toBe('read_status');
  expect(await of('POST', '/v1/payments/x/confirm')).toBe('read_status');
  expect(await of('POST', '/v1/payments/x/capture')).toBe('retry_later');
  expect(await of('GET', '/v1/payments')).toBe('retry_later');
});
