import { z } from 'zod';
import type { Stack } from './stack.ts';

const charge = z.object({
  chargeId: z.string(),
  attemptId: z.string(),
  amountCents: z.number(),
  status: z.string(),
  createdAt: z.string(),
  /** When the money was taken. Absent when it was not taken, or the network does not return it. */
  capturedAt: z.string().nullish(),
  /** Whether the customer's open step is done. Absent where the network does not return it. */
  stepDone: z.boolean().nullish(),
});
const refund = z.object({
  /** The network's own id of it. */
  refundId: z.string(),
  /** The key under which it was made: our refund's id, unless it was made elsewhere. */
  key: z.string(),
  paymentId: z.string(),
  amountCents: z.number(),
  status: z.string(),
  failureCode: z.string().nullable(),
});
const dispute = z.object({
  disputeId: z.string(),
  paymentId: z.string(),
  reason: z.string(),
  status: z.string(),
  amountCents: z.number(),
  stage: z.string().optional(),
  evidenceDueAt: z.string().optional(),
});
const details = charge.pick({ capturedAt: true, stepDone: true });
const ledger = z.object({ charges: z.array(charge), refunds: z.array(refund) });
/** The ledger of the Stripe dialect also lists the disputes. */
const disputes = z.object({ disputes: z.array(dispute) });

/** The network's records of one payment. */
export interface Ledger extends z.infer<typeof ledger> {
  disputes: z.infer<typeof dispute>[];
}

/** Reads the network's records of a payment, without going through a proxy. */
export async function readLedger(
  stack: Pick<Stack, 'networkUrl' | 'networkKey' | 'network'>,
  paymentId: string,
): Promise<Ledger> {
  const { networkUrl, networkKey, network } = stack;
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(networkUrl + path, { headers: { authorization: `Bearer ${networkKey}` } });
    return response.json();
  };
  const listed = await ask(`/ledger?paymentId=${paymentId}`);
  const { charges, refunds } = ledger.parse(listed);
  if (network === 'stripe') {
    // A charge of Stripe is created when it takes the money.
    const taken = charges.map((each) => ({ ...each, capturedAt: each.createdAt }));
    return { charges: taken, refunds, ...disputes.parse(listed) };
  }
  const withDetails = async (each: z.infer<typeof charge>) =>
    each.status === 'captured' || each.status === 'pending'
      ? { ...each, ...details.parse(await ask(`/v1/charges/${encodeURIComponent(each.attemptId)}`)) }
      : each;
  const found = await ask(`/v1/disputes?paymentId=${paymentId}`);
  return { charges: await Promise.all(charges.map(withDetails)), refunds, ...disputes.parse(found) };
}
