import type { BrowserContext } from 'playwright-core';

/**
 * One request a customer's browser makes, and what it gets: everything in either that could carry a secret.
 */
export interface Exchange {
  url: string;
  sent: string;
  got: string;
}

/** Fetches as a browser does, without following anything, and remembers the exchange. */
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

/** Records every exchange of a browser, frames included; call what it answers to have them all. */
export function record(context: BrowserContext): () => Promise<Exchange[]> {
  const exchanges: Promise<Exchange>[] = [];
  context.on('response', (response) => {
    const request = response.request();
    const read = async (): Promise<Exchange> => ({
      url: response.url(),
      sent: `${JSON.stringify(await request.allHeaders())} ${request.postData() ?? ''}`,
      // A redirect has no body; one of a page that is left meanwhile is gone.
      got: `${response.status()} ${JSON.stringify(await response.allHeaders())} ${await response.text().catch(() => '')}`,
    });
    exchanges.push(read());
  });
  return () => Promise.all(exchanges);
}
