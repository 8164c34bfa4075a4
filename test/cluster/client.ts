import { ApiClient, type ApiClientOptions } from '../chaos/api-client.ts';
import { sendCard } from '../chaos/customer.ts';
import type { Call } from '../chaos/history.ts';
import type { ClientPlan } from '../chaos/plan.ts';
import { refundAndDispute } from '../chaos/refunds-and-disputes.ts';

const maxPays = 8;

/**
 * Plays one merchant's backend with one payment, as the guides describe. It makes only the calls that a
 * payment needs, because the machine also runs the whole cluster.
 */
export async function payOne(plan: ClientPlan, options: Omit<ApiClientOptions, 'index'>): Promise<void> {
  const { random } = options;
  const client = new ApiClient({ ...options, index: plan.index, isPatient: true });
  const created = await client.callWithRetries({
    ...{ op: 'create', method: 'POST', path: '/v1/payments', key: `cluster-${plan.seed}-${Date.now()}` },
    body: {
      amountCents: plan.amountCents,
      currency: 'USD',
      reference: `order-${plan.index}`,
      successUrl: 'https://shop.example/ok',
      cancelUrl: 'https://shop.example/no',
      checkoutMode: 'custom',
    },
  });
  const id = created?.data?.id;
  if (created?.result !== 'ok' || id === undefined) return;
  client.paymentId = id;
  const path = `/v1/payments/${id}`;
  const captured = await client.callWithRetries({ op: 'capture', method: 'POST', path: `${path}/capture` });
  const access = captured?.data?.capture;
  if (!access) return;
  const card = await client.observed('card', () => sendCard(access, plan.card, () => client.isOver));
  if (!card) return;

  for (let tries = 0; tries < maxPays && !client.isOver; tries += 1) {
    const paid = await client.call({ op: 'pay', method: 'POST', path: `${path}/pay`, body: card });
    const status = await checkoutStatus(client, path, paid);
    if (status !== 'failed_retryable' && status !== 'open') break;
    await client.pauseAfter(paid, 100, 400);
  }
  const last = await client.callWithRetries({ op: 'read', method: 'GET', path });
  if (last?.data?.status !== 'paid') return;
  await refundAndDispute(client, plan, random, { id, amountCents: plan.amountCents });
}

/** Returns the status of the checkout after a pay, by polling unless the pay returned "paid". */
async function checkoutStatus(client: ApiClient, path: string, paid: Call): Promise<string | null> {
  if (paid.data?.status === 'paid') return 'paid';
  while (!client.isOver) {
    const read = await client.get('status', `${path}/status`);
    const { status } = read.data ?? {};
    if (read.result === 'ok' && status !== undefined && status !== 'processing') return status;
    await client.pauseAfter(read, 500, 1_500);
  }
  return null;
}
