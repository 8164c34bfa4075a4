import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/harness/random.ts';

/** An answer to a request. */
export interface HostileAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** A request, ready to send. */
export interface HostileRequest {
  /** The name under which it is counted, with the status of its answer. */
  name: string;
  /** Absolute, and escaped except where a defect is intended. */
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Returns the fault of an answer; null when the service documents the answer. */
  verdict: (answer: HostileAnswer) => string | null;
}

/** A part of the service that strangers can reach. */
export interface Surface {
  draw: (random: Random) => Promise<HostileRequest>;
}

/** The longest pause before a request is repeated, in seconds. */
const maxPauseSeconds = 5;

/**
 * Sends a request. When it is answered with 503 and `Retry-After`, as while PostgreSQL or Temporal does not
 * answer in time, it is sent once more after the named time, as the documentation asks. `onUnavailable`
 * is called before that.
 */
export async function sendAndRetry(
  request: HostileRequest,
  onUnavailable: (answer: HostileAnswer) => void,
): Promise<HostileAnswer> {
  const answer = await send(request);
  const seconds = answer.headers.get('retry-after');
  if (answer.status !== 503 || seconds === null) return answer;
  onUnavailable(answer);
  await sleep(Math.min(Number(seconds), maxPauseSeconds) * 1_000);
  return send(request);
}

/** Sends a request without following redirects. */
export async function send({ url, method, headers, body }: HostileRequest): Promise<HostileAnswer> {
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
