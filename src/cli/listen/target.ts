import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseApiKey } from '../../crypto/api-key.ts';

/** A failure in one line that names the fix. */
export class ListenError extends Error {}

/** The account whose events are read, and the service. */
export interface ListenTarget {
  baseUrl: string;
  apiKey: string;
  /** The public part of the key. */
  keyId: string;
}

/** Returns the target of the flags, else of the environment, else the running stack. Throws `ListenError`. */
export function listenTarget(flags: { apiKey?: string; baseUrl?: string; dataDir: string }): ListenTarget {
  let baseUrl = flags.baseUrl ?? process.env['CARD_PAYMENTS_URL'];
  let apiKey = flags.apiKey ?? process.env['CARD_PAYMENTS_API_KEY'];
  if (baseUrl === undefined || apiKey === undefined) {
    const stack = runningStack(flags.dataDir);
    baseUrl ??= stack.baseUrl;
    apiKey ??= stack.sandboxApiKey;
  }
  const parsed = parseApiKey(apiKey);
  if (!parsed) throw new ListenError('the API key is mistyped: check --api-key or CARD_PAYMENTS_API_KEY');
  return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey, keyId: parsed.keyId };
}

function runningStack(dataDir: string): { baseUrl: string; sandboxApiKey: string } {
  const path = join(dataDir, 'stack.json');
  try {
    const stack = JSON.parse(readFileSync(path, 'utf8')) as { baseUrl?: unknown; sandboxApiKey?: unknown };
    return { baseUrl: String(stack.baseUrl), sandboxApiKey: String(stack.sandboxApiKey) };
  } catch {
    throw new ListenError(`no running stack at ${path}: run npm start, or pass --base-url and --api-key`);
  }
}
