import { z } from 'zod';
import type { Ledger } from './ledger.ts';
import type { Observations } from './observations.ts';
import type { Counts } from './reconciliation-checks.ts';
import type { Stack } from './stack.ts';

const page = z.object({
  data: z.array(z.object({ id: z.string(), metadata: z.record(z.string(), z.string()) })),
  has_more: z.boolean(),
});

const owner = z.object({ merchantId: z.string() });

/**
 * Returns how many charges, refunds and disputes of the observed payments a reconciliation must compare. The
 * network's ledger has them. A key that the service closed before a charge arrived under it is no charge, and
 * belongs to no merchant: the ledger shows it as voided, and no list has it. At Stripe each payment intent
 * counts as a charge, also one that no ledger shows because it was never confirmed: the intents created since
 * `since` are read from Stripe.
 */
export async function countAtNetwork(
  stack: Pick<Stack, 'network' | 'networkUrl' | 'networkKey'>,
  { payments, ledgers, ledgerRefunds, networkDisputes }: Observations,
  since: Date,
): Promise<Counts> {
  const ids = new Set(payments.map(({ id }) => id));
  const isOwn = ({ paymentId }: { paymentId: string }): boolean => ids.has(paymentId);
  const charges = [...ids].flatMap((id) => ledgers.get(id) ?? []);
  return {
    charges:
      stack.network === 'stripe'
        ? await countIntents(stack, ids, since)
        : charges.length - (await countClosedKeys(stack, charges)),
    refunds: ledgerRefunds.filter(isOwn).length,
    disputes: networkDisputes.filter(isOwn).length,
  };
}

/** Returns how many of the voided charges are closed keys under which no charge arrived. */
async function countClosedKeys(
  { networkUrl, networkKey }: Pick<Stack, 'networkUrl' | 'networkKey'>,
  charges: readonly Ledger['charges'][number][],
): Promise<number> {
  const headers = { authorization: `Bearer ${networkKey}` };
  const owners = await Promise.all(
    charges
      .filter(({ status }) => status === 'voided')
      .map(async ({ attemptId }) => {
        const path = `/v1/charges/${encodeURIComponent(attemptId)}`;
        return owner.parse(await (await fetch(networkUrl + path, { headers })).json());
      }),
  );
  return owners.filter(({ merchantId }) => merchantId === '').length;
}

/** Returns how many of Stripe's payment intents belong to these payments. */
async function countIntents(
  { networkUrl, networkKey }: Pick<Stack, 'networkUrl' | 'networkKey'>,
  ids: ReadonlySet<string>,
  since: Date,
): Promise<number> {
  const headers = { authorization: `Bearer ${networkKey}` };
  const first = `/v1/payment_intents?limit=100&created[gte]=${Math.floor(since.getTime() / 1000)}`;
  let count = 0;
  for (let after: string | null = ''; after !== null;) {
    const response = await fetch(networkUrl + first + (after && `&starting_after=${after}`), { headers });
    const { data, has_more: hasMore } = page.parse(await response.json());
    count += data.filter(({ metadata }) => ids.has(metadata['paymentId'] ?? '')).length;
    after = hasMore ? (data.at(-1)?.id ?? null) : null;
  }
  return count;
}
