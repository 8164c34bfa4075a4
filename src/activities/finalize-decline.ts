import type { AnswerDetails } from '../db/payments/attempt-answers.ts';
import type { AttemptReference, Charge, PaymentNetwork } from '../providers/ports.ts';
import { type AttemptReport, type ReportDeps, type WriteDown, reportCharge } from './attempt-report.ts';

/**
 * Returns what the network's answer says of an attempt, once nothing can follow it: where a declined object
 * could still be charged by whoever holds its secret, it is cancelled before the decline is believed. Throws
 * when that cannot be made certain.
 */
export async function reportSettled(
  deps: ReportDeps,
  network: PaymentNetwork,
  charge: Charge,
  reference: AttemptReference,
  attemptNo: number,
  card: AnswerDetails['card'] = null,
  write?: WriteDown,
): Promise<AttemptReport> {
  const record = { id: reference.paymentId, amountCents: reference.amountCents };
  const settled =
    isDecline(charge) && network.declinesStayOpen ? await closed(network, charge, reference) : charge;
  return reportCharge(deps, settled, record, attemptNo, card, write);
}

const isDecline = ({ status }: Charge): boolean => status === 'declined' || status === 'failed';

/** The decline as it was heard, unless the object turns out to have been charged after it. */
async function closed(network: PaymentNetwork, charge: Charge, reference: AttemptReference): Promise<Charge> {
  const now = await network.cancel(reference);
  return now.status === 'voided' || isDecline(now) ? charge : now;
}
