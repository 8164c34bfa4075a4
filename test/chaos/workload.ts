import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../support/harness/random.ts';
import { ApiClient } from './api-client.ts';
import { approveAction, sendCard } from './customer.ts';
import type { Call, Shown } from './history.ts';
import { payOnPage } from './page-client.ts';
import type { ClientPlan } from './plan.ts';
import { payBySdk } from './sdk-client.ts';
import { refundAndDispute } from './refunds-and-disputes.ts';

const maxPays = 8;
const maxActionTries = 20;

/** The shared settings of a schedule's clients. */
export interface Workload {
  apis: readonly string[];
  apiKey: string;
  history: Call[];
  /** When clients give up paying, and when they give up refunds and disputes; epoch ms. */
  payUntilMs: number;
  refundUntilMs: number;
  /** Awaited at the plan's points that belong to customers. */
  reach: (point: string) => Promise<void>;
}

/**
 * Plays one merchant's backend with one payment. It follows the specification's retry rules, or breaks them.
 */
export async function runClient(plan: ClientPlan, workload: Workload): Promise<void> {
  const random = new Random(plan.seed);
  const { apis, apiKey, history, payUntilMs, refundUntilMs } = workload;
  const client = new ApiClient({ index: plan.index, apis, apiKey, random, history, untilMs: payUntilMs });
  await sleep(plan.startMs);
  const created =
    plan.behaviour === 'usesSdk'
      ? { id: await payBySdk(client, plan, random, workload), checkoutUrl: undefined }
      : await create(client, plan, random);
  const { id: paymentId = null, checkoutUrl } = created ?? {};
  if (paymentId === null) return;
  client.paymentId = paymentId;
  await client.get('timeline', `/v1/payments/${paymentId}/timeline`);
  if (plan.behaviour === 'leaves') return;
  const path = `/v1/payments/${paymentId}`;
  if (plan.behaviour === 'usesPage') await payOnPage(client, plan, random, checkoutUrl ?? '');
  else if (plan.behaviour !== 'usesSdk' && !(await pay(client, plan, random, path, workload.reach))) return;
  if (plan.behaviour === 'paysWhenOpenAgain') await payWhenOpenAgain(client, plan, random, path, workload);
  const last = await client.callWithRetries({ op: 'read', method: 'GET', path });
  if (last?.data?.status !== 'paid') return;
  client.untilMs = refundUntilMs;
  await refundAndDispute(client, plan, random, { id: paymentId, amountCents: plan.amountCents });
}

/** Creates the payment, sometimes twice with one key. Returns the answer; null when it was not created. */
async function create(client: ApiClient, plan: ClientPlan, random: Random): Promise<Shown | null> {
  const key = `chaos-${plan.seed}-${plan.index}-${Date.now()}`;
  const fields = {
    amountCents: plan.amountCents,
    currency: 'USD',
    reference: `order-${plan.index}`,
    successUrl: 'https://shop.example/ok',
    cancelUrl: 'https://shop.example/no',
    checkoutMode: plan.behaviour === 'usesPage' ? 'hosted' : 'custom',
    metadata: { client: plan.index },
  };
  const post = (body: object): Promise<Call | null> =>
    client.callWithRetries({ op: 'create', method: 'POST', path: '/v1/payments', body, key });
  const created = await post(fields);
  if (created?.result !== 'ok' || created.data?.id === undefined) return null;
  client.paymentId = created.data.id;
  // The same body with its fields in another order.
  if (random.chance(0.3)) await post(Object.fromEntries(Object.entries(fields).toReversed()));
  return created.data;
}

/** Captures a card and pays until the checkout waits for no further step. Returns whether a pay was sent. */
async function pay(
  client: ApiClient,
  plan: ClientPlan,
  random: Random,
  path: string,
  reach: Workload['reach'],
): Promise<boolean> {
  const capture = { op: 'capture', method: 'POST', path: `${path}/capture` } as const;
  const access = (await client.callWithRetries(capture))?.data?.capture;
  if (!access) return false;
  if (random.chance(0.3)) await client.call(capture);
  const card = await client.observed('card', () => sendCard(access, plan.card, () => client.isOver));
  if (!card) return false;

  const payOnce = (): Promise<Call> =>
    client.call({ op: 'pay', method: 'POST', path: `${path}/pay`, body: card });
  for (let tries = 0; tries < maxPays && !client.isOver; tries += 1) {
    if (plan.behaviour === 'paysTwiceAtOnce') await Promise.all([payOnce(), payOnce(), payOnce()]);
    else await payOnce();
    if (plan.behaviour === 'paysAgainBlindly') await payOnce();
    const seen = await untilAtRest(client, random, path);
    if (seen === 'requiresAction') {
      await sleep(plan.lingerMs);
      await completeAction(client, plan, random, path, reach);
      if ((await untilAtRest(client, random, path)) !== 'failed_retryable') break;
    } else if (seen !== 'failed_retryable' && seen !== 'open') break;
    await client.pause(50, 400);
  }
  return true;
}

/** Continues to read a paid payment, and pays again whenever its checkout is open. */
async function payWhenOpenAgain(
  client: ApiClient,
  plan: ClientPlan,
  random: Random,
  path: string,
  { reach }: Workload,
): Promise<void> {
  while (!client.isOver) {
    const { result, data } = await client.get('status', `${path}/status`);
    const isOpen = data?.status === 'open' || data?.status === 'failed_retryable';
    if (result === 'ok' && isOpen) await pay(client, plan, random, path, reach);
    await client.pause(300, 800);
  }
}

/**
 * Polls until the checkout waits for a step or is closed; returns its status, null when the client gave up.
 */
async function untilAtRest(client: ApiClient, random: Random, path: string): Promise<string | null> {
  while (!client.isOver) {
    const { result, data } = await client.get('status', `${path}/status`);
    if (random.chance(0.5)) await client.get('timeline', `${path}/timeline`);
    if (result === 'ok' && data?.status !== undefined && data.status !== 'processing') return data.status;
    if (random.chance(0.3)) await client.get('read', path);
    await client.pause(150, 700);
  }
  return null;
}

async function completeAction(
  client: ApiClient,
  { comesBack }: ClientPlan,
  random: Random,
  path: string,
  reach: Workload['reach'],
): Promise<void> {
  const checkout = await client.callWithRetries({ op: 'checkout', method: 'GET', path: `${path}/checkout` });
  const actionUrl = checkout?.data?.actionUrl;
  if (!actionUrl) return;
  for (let tries = 0; tries < maxActionTries && !client.isOver; tries += 1) {
    try {
      return await approveAction(actionUrl, () => random.chance(comesBack), reach);
    } catch {
      await client.pause(100, 500);
    }
  }
}
