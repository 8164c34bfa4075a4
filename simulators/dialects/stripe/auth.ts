import { StripeError } from './errors.ts';

/** The caller. A key of test mode sees only objects of test mode; a key of live mode sees only live ones. */
export interface Caller {
  accountId: string;
  live: boolean;
}

/** The 17 characters behind the prefix name the account, as in Stripe's own keys; the rest is the secret. */
const SECRET_KEY = /^(sk|rk)_(test|live)_5([A-Za-z0-9]{16})[A-Za-z0-9]{8,200}$/;
const EXPIRED = /Expired$/;
const PUBLISHABLE_KEY = /^pk_(test|live)_5([A-Za-z0-9]{16})[A-Za-z0-9]{0,200}$/;

/**
 * Reads the secret key of an `Authorization` header, Bearer or Basic with the key as the user. Throws 401 for
 * a missing, malformed, publishable or expired key; a key that ends in `Expired` has expired.
 */
export function authenticate(header: string | undefined): Caller {
  const key = presentedKey(header);
  if (key === null) {
    throw unauthorized(
      'You did not provide an API key. You need to provide your API key in the Authorization header.',
    );
  }
  if (/^pk_/.test(key)) {
    throw unauthorized(
      'This API call cannot be made with a publishable API key. Please use a secret API key.',
      {
        code: 'secret_key_required',
      },
    );
  }
  const match = SECRET_KEY.exec(key);
  if (!match) throw unauthorized(`Invalid API Key provided: ${redacted(key)}`);
  if (EXPIRED.test(key)) {
    throw unauthorized(`Expired API Key provided: ${redacted(key)}`, { code: 'api_key_expired' });
  }
  return { accountId: `acct_${match[3] ?? ''}`, live: match[2] === 'live' };
}

/** Reads the publishable key with which Stripe.js calls. Throws 401. */
export function authenticatePublishable(key: string): Caller {
  const match = PUBLISHABLE_KEY.exec(key);
  if (!match) throw unauthorized(`Invalid API Key provided: ${redacted(key)}`);
  return { accountId: `acct_${match[2] ?? ''}`, live: match[1] === 'live' };
}

function presentedKey(header: string | undefined): string | null {
  const bearer = /^bearer +(\S+)$/i.exec(header ?? '');
  if (bearer) return bearer[1] ?? null;
  const basic = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? '');
  if (!basic) return null;
  const user = Buffer.from(basic[1] ?? '', 'base64')
    .toString('utf8')
    .split(':', 1)[0];
  return user === undefined || user === '' ? null : user;
}

function unauthorized(message: string, more: { code?: string } = {}): StripeError {
  return new StripeError(
    401,
    { type: 'invalid_request_error', message, ...more },
    { headers: { 'www-authenticate': 'Bearer realm="Stripe"' } },
  );
}

/**
 * Returns the beginning and last four characters, as Stripe answers them: enough to identify a key, not to
 * use it.
 */
function redacted(key: string): string {
  const prefix = /^[a-z]{2}_(?:test|live)_/.exec(key)?.[0] ?? '';
  return `${prefix}********************${key.length > 24 ? key.slice(-4) : ''}`;
}
