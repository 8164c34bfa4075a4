import { inTransaction, type Database } from '../db/database.ts';
import { findPaidAttempt, loadRefund, markRefundSubmitted, settleRefund } from '../db/refunds.ts';
import type { RefundRecord, RefundStatus } from '../domain/refund.ts';
import type { NetworkRefund, RefundNetwork } from '../providers/ports.ts';
import type { FaultLog } from './fault-log.ts';
import { withHeartbeat } from './heartbeat.ts';
import { attemptKey } from './attempts.ts';

/** The activity a refund's workflow calls, as it sees it. */
export interface RefundActivities {
  /**
   * Brings a refund forward: submits it when nobody did, else asks the network, and writes down what is said. Any
   * number of runs is one refund. Throws while the network does not answer definitely.
   */
  followRefund(input: { refundId: string }): Promise<{ status: RefundStatus; eventIds: string[] }>;
}

export interface RefundActivityDeps {
  database: Database;
  network: RefundNetwork;
  now: () => number;
  logFault: FaultLog;
}

/** How long a refund that never arrived is sent again before its key is closed at the network, in ms. */
const giveUpAfterMs = 12 * 3_600_000;

interface Word {
  status: NetworkRefund['status'];
  failureCode: string | null;
  message: string | null;
}

/** What merchants read of a refund that failed; receivers accept unknown codes. */
const failureTexts: Readonly<Record<string, string>> = {
  refund_rejected: 'The refund was rejected.',
  refund_not_submitted: 'The refund could not be submitted; nothing was given back.',
};

function wordOf(refund: NetworkRefund, voidedAs: string): Word {
  if (refund.status !== 'failed') return { status: refund.status, failureCode: null, message: null };
  const code = (refund.failureCode === 'voided' ? voidedAs : refund.failureCode) ?? 'refund_rejected';
  return {
    status: 'failed',
    failureCode: code.slice(0, 128),
    message: failureTexts[code] ?? 'The refund failed.',
  };
}

/** Refunds at the network and in the rows. The refund's id is its key at the network, whatever runs again. */
export function createRefundActivities(deps: RefundActivityDeps): RefundActivities {
  const { database, network, now } = deps;

  /** Asks the network first when an earlier run may have sent it; the key makes a repeat harmless, a look-up cheaper. */
  const ask = async (refund: RefundRecord, first: boolean): Promise<Word | null> => {
    const attemptNo = await findPaidAttempt(database, refund.paymentId);
    if (attemptNo === null) throw new Error(`payment ${refund.paymentId} has refunds but no paid attempt`);
    const request = {
      key: refund.id,
      paymentId: refund.paymentId,
      chargeKey: attemptKey(refund.paymentId, attemptNo),
      amountCents: refund.amountCents,
    };
    if (!first) {
      const found = await network.lookupRefund(refund.id);
      if (found) return wordOf(found, 'refund_rejected');
      // A network that forgot a refund it had confirmed proves nothing.
      if (refund.status !== 'pending') return null;
      if (now() - (refund.submittedAt ?? refund.createdAt).getTime() > giveUpAfterMs) {
        return wordOf(await network.voidRefund(request), 'refund_not_submitted');
      }
    }
    const answer = await network.refund(request);
    if (answer !== 'refused') return wordOf(answer, 'refund_rejected');
    // An earlier send may still be on its way: the key is closed before "failed" is said.
    return wordOf(await network.voidRefund(request), 'refund_rejected');
  };

  return {
    followRefund: ({ refundId }) =>
      withHeartbeat(async () => {
        const marked = await markRefundSubmitted(database, refundId, new Date(now()));
        if (!marked) {
          const over = await loadRefund(database, refundId);
          return { status: over?.status ?? 'canceled', eventIds: [] };
        }
        try {
          const word = await ask(marked.refund, marked.first);
          if (!word) return { status: marked.refund.status, eventIds: [] };
          const settled = await inTransaction(database, (transaction) =>
            settleRefund(transaction, refundId, word, new Date(now())),
          );
          return { status: settled?.row.status ?? marked.refund.status, eventIds: settled?.eventIds ?? [] };
        } catch (error) {
          deps.logFault('followRefund', marked.refund.paymentId, error);
          throw error;
        }
      }),
  };
}
