import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { APIAbortError, APIConnectionError } from '../../../typescript/src/index.ts';
import { asObject, parseJson, readBody } from '../../../typescript/src/read-body.ts';
import { withTimeLimit } from '../../../typescript/src/time-limit.ts';
import { CliError, exitCodes, refused } from '../errors.ts';

const callTimeoutMs = 10_000;
const longestPauseMs = 30_000;

const started = z.object({
  /** The service gives the key only to the holder of this secret, which is this process. */
  secret: z.string().min(1).max(200),
  code: z.string().min(1).max(20),
  url: z.url({ protocol: /^https?$/ }),
  expiresInSeconds: z.number().positive().max(3_600),
  pollSeconds: z.number().min(1).max(30),
});
/** A pairing that waits for a member's decision. */
export type Pairing = z.infer<typeof started>;

const claimed = z.discriminatedUnion('status', [
  z.object({ status: z.enum(['pending', 'refused', 'over']) }),
  z.object({ status: z.literal('approved'), apiKey: z.string() }),
]);

interface Asked {
  environment: 'sandbox' | 'live';
  scopes: readonly string[];
  computer: string;
}

/**
 * Requests a pairing from the service. Returns null when the service is older and has none. Throws
 * APIConnectionError, and CliError for a refusal.
 */
export async function startPairing(
  origin: string,
  asked: Asked,
  signal: AbortSignal,
): Promise<Pairing | null> {
  const answer = await post(`${origin}/pairings`, asked, signal);
  if (answer.status === 404) return null;
  const parsed = started.safeParse(answer.data);
  if (answer.status === 201 && parsed.success) return parsed.data;
  throw failureOf(answer);
}

/** Waits for the member's decision and returns the new key. Throws CliError when there is no key. */
export async function waitForKey(origin: string, pairing: Pairing, signal: AbortSignal): Promise<string> {
  const endsAt = performance.now() + pairing.expiresInSeconds * 1_000;
  let pauseMs = pairing.pollSeconds * 1_000;
  while (performance.now() < endsAt) {
    await sleep(pauseMs, undefined, { signal });
    pauseMs = pairing.pollSeconds * 1_000;
    const answer = await claim(origin, pairing.secret, signal);
    if (answer === null) continue;
    if (answer.status === 429 || answer.status >= 500) {
      pauseMs = Math.min(Math.max(pauseMs, answer.retryAfterSeconds * 1_000), longestPauseMs);
      continue;
    }
    const parsed = claimed.safeParse(answer.data);
    if (!parsed.success) throw failureOf(answer);
    const { data } = parsed;
    if (data.status === 'approved') return data.apiKey;
    if (data.status === 'refused') throw refused('The request was refused in the dashboard.');
    if (data.status === 'over') break;
  }
  throw refused(
    'The request is over: it was not approved within its time, or its key was fetched before. Run login again.',
  );
}

/** Requests the key once. Null when there was no answer, so that the caller requests it again. */
async function claim(origin: string, secret: string, signal: AbortSignal): Promise<Reply | null> {
  try {
    return await post(`${origin}/pairings/claim`, { secret }, signal);
  } catch (error) {
    if (error instanceof APIConnectionError && !(error instanceof APIAbortError)) return null;
    throw error;
  }
}

interface Reply {
  status: number;
  data: unknown;
  message: string | null;
  retryAfterSeconds: number;
}

async function post(url: string, body: object, signal: AbortSignal): Promise<Reply> {
  try {
    return await withTimeLimit({ timeoutMs: callTimeoutMs, signal }, async (ending) => {
      const answer = await fetch(url, {
        method: 'POST',
        // Following a redirect would send the secret to another server.
        redirect: 'manual',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
        body: JSON.stringify(body),
        signal: ending,
      });
      const parsed = asObject(parseJson(await readBody(answer)));
      const { message } = asObject(parsed['error']);
      const seconds = Number(answer.headers.get('retry-after') ?? 0);
      return {
        status: answer.status,
        data: parsed['data'],
        message: typeof message === 'string' ? message : null,
        retryAfterSeconds: Number.isFinite(seconds) ? seconds : 0,
      };
    });
  } catch (error) {
    if (error instanceof APIConnectionError) throw error;
    throw new APIConnectionError('No answer was received.');
  }
}

function failureOf({ status, message }: Reply): CliError {
  const text = message ?? `The answer (${status}) is not one of the service: check --base-url.`;
  if (status === 429 || status >= 500) return new CliError(`${text} Try again later.`, exitCodes.unreached);
  return refused(text);
}
