import { Agent, request } from 'undici';

const CALL_MS = 30_000;

export interface Answer {
  status: number;
  // Answers have many shapes; each caller names the fields it reads.
  body: { data?: Record<string, unknown>; error?: { code?: string } } & Record<string, unknown>;
}

/** HTTP over kept connections, like a merchant's backend. */
export class Http {
  readonly #agent = new Agent({ connections: 256, pipelining: 1 });

  async call(
    method: 'GET' | 'POST',
    url: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
  ): Promise<Answer> {
    const answer = await request(url, {
      method,
      dispatcher: this.#agent,
      headersTimeout: CALL_MS,
      bodyTimeout: CALL_MS,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, body: (await answer.body.json()) as Answer['body'] };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Returns `ok` for the status `hoped`, else status and error code. Never throws. */
export async function outcomeOf(call: Promise<Answer>, hoped: number): Promise<string> {
  try {
    const { status, body } = await call;
    return status === hoped ? 'ok' : `${status} ${body.error?.code ?? ''}`.trim();
  } catch (error) {
    return `no answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}
