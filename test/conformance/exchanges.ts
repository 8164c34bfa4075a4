import type { BrowserContext } from 'playwright-core';

/** A request of a customer's browser and its answer: everything in either that could contain a secret. */
export interface Exchange {
  url: string;
  sent: string;
  got: string;
}

/** Fetches like a browser, without following redirects, and records the exchange. */
export async function visit(
  seen: Exchange[],
  url: string,
  fields?: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<{ status: number; location: string; text: string }> {
  const body = fields && new URLSearchParams(fields);
  const response = await fetch(url, {
    redirect: 'manual',
    headers,
    ...(body ? { method: 'POST', body } : {}),
  });
  const text = await response.text();
  seen.push({
    url,
    sent: `${JSON.stringify(headers)} ${body?.toString() ?? ''}`,
    got: `${response.status} ${JSON.stringify([...response.headers])} ${text}`,
  });
  return { status: response.status, location: response.headers.get('location') ?? '', text };
}

/** Records every exchange of a browser, including frames. The returned function returns all of them. */
export function record(context: BrowserContext): () => Promise<Exchange[]> {
  const exchanges: Promise<Exchange>[] = [];
  context.on('response', (response) => {
    const request = response.request();
    const read = async (): Promise<Exchange> => ({
      url: response.url(),
      sent: `${JSON.stringify(await request.allHeaders())} ${request.postData() ?? ''}`,
      // A redirect has no body, and the body of a page that the browser has left is gone.
      got: `${response.status()} ${JSON.stringify(await response.allHeaders())} ${await response.text().catch(() => '')}`,
    });
    exchanges.push(read());
  });
  return () => Promise.all(exchanges);
}
