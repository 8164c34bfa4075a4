import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { verifyCallback } from '../../../../src/api/callbacks/verify-callback.ts';

const webhook = new Webhook(`whsec_${Buffer.alloc(24, 7).toString('base64')}`);
const body = JSON.stringify({ type: 'charge.updated' });
// Four years away from this host's clock.
const signedAtMs = Date.UTC(2030, 5, 1);

const headersOf = (text = body, atMs = signedAtMs) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(atMs / 1_000),
  'webhook-signature': webhook.sign('msg_1', new Date(atMs), text),
});

it('accepts a callback that was signed just now by the clock that is passed in, whatever this host has', () => {
  expect(verifyCallback(webhook, headersOf(), body, signedAtMs + 299_000)).toEqual({
    type: 'charge.updated',
  });
  expect(verifyCallback(webhook, headersOf(), body, signedAtMs - 299_000)).toEqual({
    type: 'charge.updated',
  });
});

it('accepts one of several signatures', () => {
  const headers = headersOf();
  headers['webhook-signature'] = `v1,AAAA ${headers['webhook-signature']}`;
  expect(verifyCallback(webhook, headers, body, signedAtMs)).toEqual({ type: 'charge.updated' });
});

it.each<[string, IncomingHttpHeaders, string, number]>([
  ['is too old', headersOf(), body, signedAtMs + 301_000],
  ['is of the future', headersOf(), body, signedAtMs - 301_000],
  ['has another body', headersOf(), '{}', signedAtMs],
  ['has another id', { ...headersOf(), 'webhook-id': 'msg_2' }, body, signedAtMs],
  [
    'has another timestamp',
    { ...headersOf(), 'webhook-timestamp': `${signedAtMs / 1_000 + 1}` },
    body,
    signedAtMs,
  ],
  ['has no number as its timestamp', { ...headersOf(), 'webhook-timestamp': 'NaN' }, body, signedAtMs],
  ['is not signed', { ...headersOf(), 'webhook-signature': undefined }, body, signedAtMs],
  ['is no JSON', headersOf('{'), '{', signedAtMs],
])('refuses a callback that %s', (_, headers, text, nowMs) => {
  expect(verifyCallback(webhook, headers, text, nowMs)).toBeUndefined();
});
