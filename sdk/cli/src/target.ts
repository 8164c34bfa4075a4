import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ParsedApiKey, parseApiKey } from '../../../src/crypto/api-key.ts';
import { CardPayments, PermissionError } from '../../typescript/src/index.ts';
import { misused, refused } from './errors.ts';
import { readLogin } from './login/login-file.ts';

/** The flags by which every command finds the service and its key. */
export interface TargetFlags {
  apiKey?: string;
  baseUrl?: string;
  dataDir: string;
}

/** The service, and the account whose key is used. */
export interface Target {
  baseUrl: string;
  apiKey: string;
  /** The public part of the key. */
  keyId: string;
  environment: ParsedApiKey['environment'];
}

/** A service and one of its keys. */
interface KnownService {
  baseUrl: string;
  apiKey: string;
}

/**
 * Returns the service and the key from the flags, else from the environment, the running stack or the login.
 * A stored key is sent only to the service for which it was stored.
 */
export function findTarget(flags: TargetFlags): Target {
  const givenUrl = flags.baseUrl ?? process.env['CARD_PAYMENTS_URL'];
  const givenKey = flags.apiKey ?? process.env['CARD_PAYMENTS_API_KEY'];
  const known = givenUrl !== undefined && givenKey !== undefined ? [] : knownServices(flags.dataDir);
  const service = known.find(({ baseUrl }) => givenUrl === undefined || isSameOrigin(baseUrl, givenUrl));
  const baseUrl = givenUrl ?? service?.baseUrl;
  const apiKey = givenKey ?? service?.apiKey;
  if (baseUrl === undefined) {
    throw misused('No service is known: run card-payments login --base-url URL, or set CARD_PAYMENTS_URL.');
  }
  if (apiKey === undefined) {
    throw misused('No key is known for this service: run card-payments login, or set CARD_PAYMENTS_API_KEY.');
  }
  const parsed = parseApiKey(apiKey);
  if (!parsed) {
    throw misused('The API key is mistyped: copy it again (--api-key, CARD_PAYMENTS_API_KEY or login).');
  }
  const { keyId, environment } = parsed;
  return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey, keyId, environment };
}

/** Returns the address alone, for a command that has no key yet. */
export function findBaseUrl(flags: TargetFlags): string {
  const url = flags.baseUrl ?? process.env['CARD_PAYMENTS_URL'] ?? knownServices(flags.dataDir)[0]?.baseUrl;
  if (url !== undefined) return url.replace(/\/+$/, '');
  throw misused('No service is known: pass --base-url URL, or set CARD_PAYMENTS_URL.');
}

const knownServices = (dataDir: string): KnownService[] =>
  [runningStack(dataDir), readLogin()].filter((one) => one !== null);

const isSameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;

function runningStack(dataDir: string): KnownService | null {
  try {
    const stack = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')) as Record<string, unknown>;
    return { baseUrl: String(stack['baseUrl']), apiKey: String(stack['sandboxApiKey']) };
  } catch {
    return null;
  }
}

/** What a key may do: everything, or its scopes. */
export type KeyScopes = 'full' | string[];

/** Reads from the service what a key may do. Throws the refusal of a key that does not work. */
export async function readKeyScopes({ baseUrl, apiKey }: KnownService): Promise<KeyScopes> {
  let held: string | null = null;
  const cp = new CardPayments({
    baseUrl,
    apiKey,
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      held = answer.headers.get('key-scopes');
      return answer;
    },
  });
  try {
    await cp.payments.list({ perPage: 1 });
  } catch (error) {
    // A refusal for a missing scope also names the scopes that the key has.
    if (!(error instanceof PermissionError)) throw error;
  }
  return parseScopes(held);
}

function parseScopes(held: string | null): KeyScopes {
  if (held === null) {
    throw refused('The service does not say what the key may do: update the service, or check --base-url.');
  }
  return held === 'full' ? 'full' : held.split(/,\s*/);
}
