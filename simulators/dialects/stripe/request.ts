import type { FastifyRequest } from 'fastify';
import type { Caller } from './auth.ts';
import { badParameter, StripeError } from './errors.ts';
import { decodeForm, type Form } from './form.ts';
import { API_VERSION } from './version.ts';

const MAX_KEY_CHARS = 255;

export function keyOf(request: FastifyRequest): string | null {
  const { 'idempotency-key': key } = request.headers;
  if (typeof key !== 'string' || key === '') return null;
  if (key.length <= MAX_KEY_CHARS) return key;
  throw new StripeError(400, {
    type: 'idempotency_error',
    message: `Idempotency keys can be at most ${MAX_KEY_CHARS} characters long.`,
  });
}

export function versionOf(request: FastifyRequest): string {
  const { 'stripe-version': version } = request.headers;
  if (version === undefined) return API_VERSION;
  if (typeof version === 'string' && /^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(version)) return version;
  throw badParameter('Stripe-Version', 'Invalid Stripe API version.');
}

export function formOf(request: FastifyRequest): Form {
  const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?') + 1) : '';
  const text = [query, typeof request.body === 'string' ? request.body : ''].filter(Boolean).join('&');
  const form = decodeForm(text);
  if (form) return form;
  throw badParameter('body', 'Invalid request body: the parameters could not be read.');
}

export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

export const scoped = ({ accountId, live }: Caller, key: string): string => `${accountId} ${live} ${key}`;
