import type { FastifyPluginAsync } from 'fastify';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request as send } from 'undici';
import { z } from 'zod';
import { publishedCardBehaviour } from '../../published-cards.ts';
import { parseBody, Refusal } from '../../server.ts';
import { requireAccount, requireKey } from './auth.ts';
import { cardOwner } from './card-owner.ts';
import { itemKey, type PciVaultContext } from './context.ts';
import { withFault } from './faults.ts';

const query = z.object({
  user: z.string().min(1).max(128),
  passphrase: z.string().min(1).max(512),
  token: z.string().min(1).max(128),
  reference: z.string().min(1).max(128),
  synchronous: z.enum(['true', 'false']).default('false'),
});
const template = z.object({
  request: z.object({
    method: z.string().default('POST'),
    url: z.url().max(2048),
    headers: z
      .array(z.record(z.string(), z.string().max(2048)))
      .max(20)
      .default([]),
    body: z.string().max(64 * 1024),
  }),
});
type Template = z.infer<typeof template>['request'];

/** A third party must answer a synchronous call within this time, in ms, over all tries. */
const THIRD_PARTY_MS = 20_000;
const TRIES = 8;
const FIRST_BACK_OFF_MS = 100;
const MAX_ANSWER_BYTES = 1024 * 1024;

interface ThirdPartyAnswer {
  headers: Record<string, string>[];
  body: string;
  status_code: number;
}

/**
 * Registers the proxy, which inserts a card into a request and sends it. It sends cards only to the
 * configured address, and only to create payment methods, never to charge.
 */
export function proxyRoutes(vault: PciVaultContext): FastifyPluginAsync {
  const agent = new Agent({ connect: { timeout: 2_000 }, maxResponseSize: MAX_ANSWER_BYTES });
  const stopping = new AbortController();
  return async (app) => {
    app.addHook('onRequest', requireAccount(vault));
    app.addHook('onClose', async () => {
      stopping.abort();
      await agent.destroy();
    });

    app.post('/v1/proxy/post', async (request, reply) => {
      const asked = parseBody(query, request.query);
      const { request: order } = parseBody(template, request.body);
      await withFault(vault, reply, { kind: 'proxy', reference: asked.reference }, async () => {
        requireKey(vault, asked.user, asked.passphrase);
        requireAllowed(vault, order, asked.synchronous === 'true');
        const data = cardData(vault, asked);
        return sendOn(vault, agent, order, data, stopping.signal);
      });
      return reply;
    });
  };
}

function requireAllowed(vault: PciVaultContext, { method, url }: Template, synchronous: boolean): void {
  if (!synchronous) {
    throw new Refusal(400, 'synchronous_only', 'The dialect answers synchronous calls only.', 'synchronous');
  }
  if (method === 'POST' && url === `${vault.proxy.target}/v1/payment_methods`) return;
  throw new Refusal(
    403,
    'address_not_allowed',
    'Cards are sent to make payment methods only.',
    'request.url',
  );
}

/** Returns the card of a token. Refuses 404 unless token and reference are both right. */
function cardData(
  vault: PciVaultContext,
  { user, token, reference }: z.infer<typeof query>,
): Record<string, string> {
  const key = itemKey(token, reference);
  const item = vault.items.get(key);
  const card = item && item.key === user ? vault.cards.find(key, cardOwner(item), vault.now()) : null;
  if (!card || publishedCardBehaviour(card.number) === 'tokenRejected') {
    throw new Refusal(404, 'not_found', 'There is no such token under this reference.');
  }
  return {
    card_number: card.number,
    card_cvv: vault.cards.cvv(key, vault.now()) ?? '',
    card_expiry_month: card.expMonth,
    card_expiry_year: card.expYear,
  };
}

/** Sends the request, and again with growing pauses while the third party answers 429 or 5xx. */
async function sendOn(
  vault: PciVaultContext,
  agent: Agent,
  order: Template,
  data: Record<string, string>,
  stopping: AbortSignal,
): Promise<ThirdPartyAnswer> {
  const until = AbortSignal.any([AbortSignal.timeout(THIRD_PARTY_MS), stopping]);
  const body = order.body.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_all, name: string) => data[name] ?? '');
  const headers = { ...Object.assign({}, ...order.headers), 'x-card-proxy-key': vault.proxy.key } as Record<
    string,
    string
  >;
  for (let tried = 1; ; tried += 1) {
    const answer = await sendOnce(agent, { url: order.url, headers, body }, until);
    const again = answer.status_code === 429 || answer.status_code >= 500;
    if (!again || tried === TRIES) return answer;
    await pause(FIRST_BACK_OFF_MS * 2 ** (tried - 1), undefined, { signal: until }).catch(() => {
      throw failed();
    });
  }
}

async function sendOnce(
  agent: Agent,
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
  signal: AbortSignal,
): Promise<ThirdPartyAnswer> {
  try {
    const answer = await send(url, { method: 'POST', headers, body, dispatcher: agent, signal });
    return {
      headers: Object.entries(answer.headers).map(([name, value]) => ({ [name]: String(value) })),
      body: await answer.body.text(),
      status_code: answer.statusCode,
    };
  } catch {
    throw failed();
  }
}

const failed = () => new Refusal(502, 'third_party_failed', 'The third party did not answer in time.');
