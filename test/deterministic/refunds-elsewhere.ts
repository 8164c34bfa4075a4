import { type NetworkContext, pause, untilFound } from '../chaos/changes.ts';
import { type Ledger, readLedger } from '../chaos/ledger.ts';
import { chargeThatPaid } from '../chaos/made.ts';
import { paymentsSince } from '../chaos/rows.ts';
import type { Random } from '../support/harness/random.ts';

/** Refunds of some paid payments that are made in Stripe's own dashboard, as a share of what was paid. */
export interface RefundsElsewhere {
  kind: 'refund-elsewhere';
  payments: number;
  afterMs: number;
  share: number;
}

/** How long to search for paid payments, in ms. */
const findWithinMs = 8_000;

export function drawRefundsElsewhere(random: Random): RefundsElsewhere {
  return {
    kind: 'refund-elsewhere',
    payments: random.between(1, 3),
    afterMs: random.between(0, 3_000),
    share: random.pick([0.2, 0.6, 1, 1]),
  };
}

/** Refunds some paid payments at Stripe, once each, without the service. */
export async function refundElsewhere(change: RefundsElsewhere, context: NetworkContext): Promise<void> {
  const { stack, since, made } = context;
  const refunding = new Map<string, Promise<void>>();
  await untilFound(
    async () => {
      for (const id of await paymentsSince(stack.databaseUrl, since)) {
        if (refunding.has(id) || refunding.size >= change.payments) continue;
        const paid = chargeThatPaid(await readLedger(stack, id), made);
        if (paid) refunding.set(id, refundOne(id, paid, change, context));
      }
      return refunding.size >= change.payments ? true : null;
    },
    findWithinMs,
    context,
    250,
  );
  await Promise.all(refunding.values());
}

async function refundOne(
  id: string,
  { chargeId, amountCents }: Ledger['charges'][number],
  { afterMs, share }: RefundsElsewhere,
  context: NetworkContext,
): Promise<void> {
  await pause(afterMs, context);
  const key = `elsewhere-${id}`;
  // Recorded before the order, which may have its effect without an answer.
  context.made.refundedElsewhere.add(key);
  const amount = Math.ceil(amountCents * share);
  try {
    await context.stack.simulateAtNetwork(`/v1/refunds?charge=${chargeId}&amount=${amount}`, {}, key);
  } catch (error) {
    // The service refunded more meanwhile, or a dispute holds the money.
    context.note(`not refunded: ${String(error)}`);
  }
}
