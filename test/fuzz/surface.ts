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
