import { browse } from '../../chaos/customer.ts';
import { type Outcome, outcomeOf, unanswered } from '../../chaos/history.ts';
import { payOnPage } from '../../chaos/page-client.ts';
import type { ClientPlan } from '../../chaos/plan.ts';
import type { Caller } from './caller.ts';

/** The statuses of a link's page. */
const pageStatuses = [204, 303, 410];

/** Plays a shop that creates a payment link, and customers who open it and pay. Then the shop closes it. */
export async function payByLink(caller: Caller, plan: ClientPlan): Promise<void> {
  const { random, client } = caller;
  const fields = {
    amountCents: plan.amountCents,
    currency: 'USD',
    reference: `link-${caller.index}`,
    successUrl: 'https://shop.example/ok',
    cancelUrl: 'https://shop.example/no',
    ...(random.chance(0.4) ? { maxPayments: 1 } : {}),
    ...(random.chance(0.4) ? { expiresAt: new Date(Date.now() + 20_000).toISOString() } : {}),
    ...(random.chance(0.3) ? { methods: ['card'] } : {}),
  };
  // A link that ended already is refused.
  const over = { ...fields, expiresAt: new Date(Date.now() - 1_000).toISOString() };
  if (random.chance(0.3)) await caller.keyed('createLink', '/v1/payment-links', over);
  const created = await caller.keyed('createLink', '/v1/payment-links', fields);
  const { id } = created?.data ?? {};
  if (created?.result !== 'ok' || id === undefined) return;
  const url = /"url":"([^"]+)"/.exec(created.text)?.[1] ?? '';
  for (let customers = random.between(1, 2); customers > 0; customers -= 1) {
    const checkout = await open(caller, url);
    if (checkout !== null) await payOnPage(client, plan, random, checkout);
  }
  await caller.read(`/v1/payment-links/${id}`);
  await caller.change('PATCH', `/v1/payment-links/${id}`, { active: false });
  await open(caller, url);
}

/** Opens a link as a browser does; returns the checkout's address, null when the link begins no payment. */
async function open({ client, random }: Caller, url: string): Promise<string | null> {
  let location: string | null = null;
  await client.visited('link', async (): Promise<Outcome> => {
    const headers = random.chance(0.1) ? { 'sec-purpose': 'prefetch' } : { accept: 'text/html' };
    const { status, headers: answered } = await browse(url, { headers });
    location = answered.get('location');
    if (pageStatuses.includes(status)) return { ...unanswered('page'), result: 'ok', status };
    // A page of a fault is no JSON. The checker knows its status.
    const code = status === 503 ? 'service_unavailable' : 'unexpected_page';
    return outcomeOf(status, answered.get('retry-after'), JSON.stringify({ error: { code } }));
  });
  return location;
}
