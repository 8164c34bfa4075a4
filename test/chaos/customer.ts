import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { CaptureAccess } from './history.ts';
import { challengePoint } from './names.ts';

const browseMs = 30_000;
const maxCardTries = 10;

/** The fields of a captured card that pay needs. */
export interface CapturedCard {
  cardToken: string;
  captureReference: string;
}

const captured = z.object({ token: z.string(), reference: z.string() });

/** Where a card is sent. `keyHeader`: the only header that has the secret; by default those of a backend. */
export type CardTarget = CaptureAccess & { keyHeader?: string };

/**
 * Sends the card to the vault. A lost answer is tried again; a refusal is final. Returns null when there is
 * no token.
 */
export async function sendCard(
  access: CardTarget,
  number: string,
  isOver: () => boolean,
): Promise<CapturedCard | null> {
  for (let tries = 0; tries < maxCardTries && !isOver(); tries += 1) {
    try {
      const response = await browse(access.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...Object.fromEntries(headersOf(access).map((name) => [name, access.secret])),
        },
        body: JSON.stringify({
          card_number: number,
          card_cvv: number.startsWith('3') ? '1234' : '123',
          card_expiry_month: '12',
          card_expiry_year: '40',
        }),
      });
      const answer = captured.safeParse(await response.json());
      if (response.ok && answer.success && answer.data.reference === access.reference) {
        return { cardToken: answer.data.token, captureReference: access.reference };
      }
      if (response.status < 500) return null;
    } catch {
      // There was no answer. The vault accepts the same card again.
    }
    await sleep(300);
  }
  return null;
}

const headersOf = ({ keyHeader }: CardTarget): string[] =>
  keyHeader === undefined ? ['x-cardvault-capture-secret', 'x-pcivault-capture-secret'] : [keyHeader];

/**
 * Follows the action URL as the customer's browser does, and approves the challenge there. `comesBack`
 * decides whether the browser reaches the shop again. `reach` is awaited just before the challenge is
 * completed. Throws when a server does not answer.
 */
export async function approveAction(
  actionUrl: string,
  comesBack: () => boolean,
  reach: (point: string) => Promise<void>,
): Promise<void> {
  const challenge = (await browse(actionUrl)).headers.get('location');
  if (!challenge) return;
  await reach(challengePoint);
  const back = await press(challenge, 'challenge-approve');
  if (back && comesBack()) await browse(back);
}

/**
 * Presses a button of the network's page without a browser; returns where the customer is sent. Throws when
 * the network does not answer.
 */
export async function press(url: string, button: string): Promise<string | null> {
  const html = await (await browse(url)).text();
  const at = html.indexOf(`data-testid="${button}"`);
  const form = html.slice(html.lastIndexOf('<form', at), at);
  const action = /action="([^"]*)"/.exec(form)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const tag = html.slice(html.lastIndexOf('<', at), html.indexOf('>', at) + 1);
  const name = /name="([^"]*)"/.exec(tag)?.[1];
  const value = /value="([^"]*)"/.exec(tag)?.[1] ?? '';
  const response = await browse(new URL(action, url), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: name === undefined ? '' : new URLSearchParams({ [name]: value }).toString(),
  });
  return response.headers.get('location');
}

/** Makes a request as a browser does, without following redirects. Throws when there is no answer. */
export function browse(url: string | URL, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(browseMs), ...init });
}
