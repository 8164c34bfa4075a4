import { randomUUID } from 'node:crypto';
import { checkBrandingChange } from '../../../src/branding/change.ts';
import { updateBranding } from '../../../src/db/merchants/branding.ts';
import type { HostedPage } from '../../support/hosted-page.ts';
import { eventually } from '../../support/shop.ts';
import { byOperator } from '../../support/harness/by-operator.ts';

/** A drawing of two sides of an open book. */
export const logoFile = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path fill="#0f766e" d="M4 8c6-3 11-3 16 1v25c-5-4-10-4-16-1z"/><path fill="#2dd4bf" d="M36 8c-6-3-11-3-16 1v25c5-4 10-4 16-1z"/></svg>`,
);

/** Sets name and branding of the world's only merchant. */
export async function dressShop(hosted: HostedPage): Promise<void> {
  const { database } = hosted.world;
  const { rows } = await database.query<{ id: string }>(
    "UPDATE merchants SET name = 'Blue Bottle Books' RETURNING id",
  );
  const change = await checkBrandingChange(
    {
      accent: '#0f766e',
      supportEmail: 'help@bluebottle.example',
      termsUrl: 'https://bluebottle.example/terms',
      privacyUrl: 'https://bluebottle.example/privacy',
      statementDescriptor: 'BLUEBOTTLE BOOKS',
      logo: logoFile,
    },
    { allowHttpLoopback: true },
  );
  for (const { id } of rows) {
    await updateBranding(database, { merchantId: id, environment: 'sandbox' }, change, byOperator());
  }
}

/** Creates a payment in a state; returns the page's address and a selector of its visible content. */
export type StateMaker = (hosted: HostedPage) => Promise<{ url: string; shows: string }>;

const create = (hosted: HostedPage, fields: Record<string, unknown> = {}) =>
  hosted.create({
    reference: 'BB-1042',
    amountCents: 4250,
    lineItems: [
      { name: 'The Left Hand of Darkness, hardcover', quantity: 1, amountCents: 2450 },
      { name: 'Bookmark', quantity: 3, amountCents: 900 },
      { name: 'Shipping', quantity: 1, amountCents: 900 },
    ],
    ...fields,
  });
async function moveClock(hosted: HostedPage, id: string, bySeconds: number): Promise<void> {
  const moved = await hosted.shop.call(
    'POST',
    `/v1/sandbox/payments/${id}/advance-clock`,
    { bySeconds },
    { 'idempotency-key': randomUUID() },
  );
  if (moved.status !== 200) throw new Error(`the clock was not moved: ${moved.status}`);
}
const shows = (kind: string): string => `[data-testid="state-${kind}"]`;

/** Every state of the page, by name. */
export const pageStates = {
  open: async (hosted) => ({ url: (await create(hosted)).url, shows: '#pay-form' }),
  'last-minutes': async (hosted) => {
    const { id, url } = await create(hosted);
    await moveClock(hosted, id, 26 * 60);
    return { url, shows: '.deadline.urgent' };
  },
  'failed-attempt': async (hosted) => {
    const { url, client } = await create(hosted);
    await client.payByCard('4000000000009995');
    return { url, shows: '[data-testid="attempt-failed"]' };
  },
  'another-way': async (hosted) => {
    const { url, client } = await create(hosted);
    await client.pay('pix');
    await client.post('leave-step', {});
    return { url, shows: '[data-testid="attempt-failed"]' };
  },
  processing: async (hosted) => {
    const { url, client } = await create(hosted);
    // The answer takes longer than a test stays on the page.
    let refused: unknown;
    client.payByCard('4000000000007205').catch((error: unknown) => (refused = error));
    await eventually(async () => {
      if (refused) throw refused;
      const text = await (await fetch(url)).text();
      // The page names the card as soon as the attempt has its row.
      return text.includes('···· 7205') ? true : undefined;
    });
    return { url, shows: shows('processing') };
  },
  challenge: async (hosted) => {
    const { url, client } = await create(hosted);
    await client.payByCard('4000000000003220');
    return { url, shows: shows('challenge') };
  },
  wallet: async (hosted) => {
    const { url, client } = await create(hosted);
    await client.pay('wallet');
    return { url, shows: shows('wallet') };
  },
  pix: async (hosted) => {
    const { url, client } = await create(hosted);
    await client.pay('pix');
    return { url, shows: shows('pix') };
  },
  paid: async (hosted) => {
    const { url, client } = await create(hosted);
    await client.payByCard('4242424242424242');
    return { url, shows: shows('paid') };
  },
  'closed-expired': async (hosted) => {
    const { id, url } = await create(hosted);
    await moveClock(hosted, id, 3_600);
    return { url, shows: shows('closed') };
  },
  'closed-attempts-exhausted': async (hosted) => {
    const { url, client } = await create(hosted);
    const card = await client.card('4000000000000002');
    for (let attempt = 0; attempt < 5; attempt += 1) await client.post('pay', { method: 'card', ...card });
    return { url, shows: shows('closed') };
  },
  'closed-failed-for-good': async (hosted) => {
    const { url, client } = await create(hosted);
    await client.payByCard('4000000000009987');
    return { url, shows: shows('closed') };
  },
  'pay-at-the-shop': async (hosted) => ({
    url: (await create(hosted, { checkoutMode: 'custom' })).url,
    shows: shows('elsewhere'),
  }),
  'unknown-link': async (hosted) => ({
    url: `${hosted.world.baseUrl}/c/${'x'.repeat(43)}`,
    shows: 'main',
  }),
} as const satisfies Record<string, StateMaker>;

export type StateName = keyof typeof pageStates;
export const stateNames = Object.keys(pageStates) as StateName[];
