import type { Answer } from '../support/shop.ts';
import { judge } from './contract-checks.ts';

const json = { 'content-type': 'application/json; charset=utf-8', 'request-id': 'r' };
const answer = (status: number, body: unknown, headers: Record<string, string> = json): Answer => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: new Headers(headers), text, body: {} };
};
const advice: Record<string, string> = { service_unavailable: 'retry_later', rate_limited: 'retry_later' };
const refused = (status: number, code: string, more = {}, headers = {}) => {
  const recovery = advice[code] ?? 'fix_request';
  return answer(status, { error: { code, message: 'm', ...more } }, { ...json, recovery, ...headers });
};

const uuid = '01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90';
const created = {
  id: uuid,
  status: 'pending',
  checkoutUrl: 'https://pay.example/c/x',
  expiresAt: '2026-03-01T12:30:00.000Z',
  environment: 'sandbox',
};

describe('the contract check of every answer', () => {
  it.each<[string, string, string, Answer]>([
    ['a creation', 'POST', '/v1/payments', answer(201, { data: created })],
    ['a refusal', 'GET', `/v1/payments/${uuid}`, refused(404, 'not_found')],
    ['a limit', 'GET', '/v1/payments', refused(429, 'rate_limited', {}, { 'retry-after': '1' })],
  ])('accepts %s', (_what, method, path, given) => {
    expect(() => judge(method, path, given)).not.toThrow();
  });

  it.each<[string, string, string, Answer]>([
    ['HTML (EP-02)', 'GET', '/v1/payments', answer(404, '<html>', { 'content-type': 'text/html' })],
    ['text that is not JSON (EP-02)', 'GET', '/v1/payments', answer(503, 'oops')],
    ['a result outside data (EP-03)', 'POST', '/v1/payments', answer(201, created)],
    ['a key beside data (EP-03)', 'POST', '/v1/payments', answer(201, { data: created, error: null })],
    ['a creation with 200 (EP-07)', 'POST', '/v1/payments', answer(200, { data: created })],
    [
      'an error without a message (ERR-01, ERR-04)',
      'GET',
      '/v1/payments',
      answer(503, { error: { code: 'service_unavailable' } }),
    ],
    [
      'a further key in the error (ERR-04)',
      'GET',
      '/v1/payments',
      refused(503, 'service_unavailable', { stack: 'x' }),
    ],
    ['a code under a foreign status (ERR-05)', 'GET', '/v1/payments', refused(500, 'service_unavailable')],
    ['an unknown code (ERR-05)', 'GET', '/v1/payments', refused(405, 'method_not_allowed')],
    ['validation without a field (ERR-02)', 'POST', '/v1/payments', refused(422, 'validation_failed')],
    ['401 without WWW-Authenticate (AUTH-09)', 'GET', '/v1/payments', refused(401, 'unauthorized')],
    [
      'a refusal with the wrong advice',
      'GET',
      '/v1/payments',
      refused(404, 'not_found', {}, { recovery: 'none' }),
    ],
    ['429 without Retry-After (RATE-02)', 'GET', '/v1/payments', refused(429, 'rate_limited')],
    ['404 on create (CREATE-26)', 'POST', '/v1/payments', refused(404, 'not_found')],
    ['422 on list (LIST-12)', 'GET', '/v1/payments', refused(422, 'validation_failed', { field: 'page' })],
    ['409 on retrieve (RETRIEVE-03)', 'GET', `/v1/payments/${uuid}`, refused(409, 'payment_in_progress')],
    [
      '410 on status (CHECKOUT-27, STATUS-10)',
      'GET',
      `/v1/payments/${uuid}/status`,
      refused(410, 'checkout_expired'),
    ],
    [
      '422 on confirm (CONFIRM-10)',
      'POST',
      `/v1/payments/${uuid}/confirm`,
      refused(422, 'card_token_rejected'),
    ],
    [
      'a creation that is paid (CRES-02)',
      'POST',
      '/v1/payments',
      answer(201, { data: { ...created, status: 'paid' } }),
    ],
    [
      'a checkout URL with a fragment (CRES-03, URL-10)',
      'POST',
      '/v1/payments',
      answer(201, { data: { ...created, checkoutUrl: 'https://a/#b' } }),
    ],
    [
      'a checkout URL over plain HTTP (URL-10)',
      'POST',
      '/v1/payments',
      answer(201, { data: { ...created, checkoutUrl: 'http://pay.example/' } }),
    ],
    [
      'a CORS permission (AUTH-02)',
      'POST',
      '/v1/payments',
      answer(201, { data: created }, { ...json, 'access-control-allow-origin': '*' }),
    ],
  ])('refuses %s', (_what, method, path, given) => {
    expect(() => judge(method, path, given)).toThrow('answered');
  });
});
