import type { Random } from '../support/harness/random.ts';

/** What came back. */
export interface HostileAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** A request, ready to send. */
export interface HostileRequest {
  /** What it is counted as, with the status of its answer. */
  name: string;
  /** Absolute, and escaped as far as it is meant to be. */
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Returns what is wrong with an answer; null where it is one that the service documents. */
  verdict: (answer: HostileAnswer) => string | null;
}

/** One side of the service that strangers reach. */
export interface Surface {
  draw: (random: Random) => Promise<HostileRequest>;
}

/** Sends a request; follows no redirect. */
export async function send({ url, method, headers, body }: HostileRequest): Promise<HostileAnswer> {
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
