import { setTimeout as sleep } from 'node:timers/promises';
import {
  APIConnectionError,
  APIError,
  AuthenticationError,
  RateLimitError,
  ServiceUnavailableError,
} from '../../../typescript/src/index.ts';
import { refused } from '../errors.ts';

const longestWaitMs = 10_000;

/** Returns the answer of a call, which is repeated while the service does not answer. */
export async function untilAnswered<Answer>(
  signal: AbortSignal,
  call: () => PromiseLike<Answer>,
): Promise<Answer> {
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      const askedMs = transientWaitMs(error);
      await sleep(Math.max(waitMs, askedMs), undefined, { signal });
    }
  }
}

/** Returns how long the service asks to wait, in ms. Throws errors that a retry cannot change. */
function transientWaitMs(error: unknown): number {
  if (error instanceof APIConnectionError) return 0;
  if (error instanceof RateLimitError || error instanceof ServiceUnavailableError) {
    return (error.retryAfterSeconds ?? 0) * 1_000;
  }
  if (error instanceof APIError && !(error instanceof AuthenticationError) && error.status === 400) {
    throw refused(
      `The event log refused: ${error.message} If the cursor is older than the log, remove its file to begin anew.`,
    );
  }
  throw error;
}
