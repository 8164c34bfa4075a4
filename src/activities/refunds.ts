import { entryNamed } from '../domain/entry-named.ts';
import { findPaidAttempt } from '../db/payments/attempts.ts';
import { inTransaction, type Database } from '../db/server/database.ts';
import { scheduleRefundCheck } from '../db/refunds/refund-checks.ts';
import { markRefundSubmitted, recordRefundStatus } from '../db/refunds/refunds.ts';
import { loadRefund } from '../db/refunds/refund-reads.ts';
import { attemptKey } from '../domain/payment.ts';
import { type RefundRecord, type RefundStatus, nextRefundCheck } from '../domain/refund.ts';
import type { PaymentStatus } from '../domain/statuses.ts';
import type { Connectors } from '../providers/connectors.ts';
import type { NetworkRefund, RefundNetwork, RefundRequest } from '../providers/refund-port.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';

/** The state of a refund after it was advanced. */
export interface FollowedRefund {
  status: RefundStatus;
  /** The payment's status with its refunds; null when the network was not queried. */
  paymentStatus: PaymentStatus | null;
  /** Wait before the next query, in ms; null: none is needed now. */
  nextLookInMs: number | null;
}

/** The activity a refund's workflow calls, as it sees it. */
export interface RefundActivities {
  /**
   * Advances a refund: submits it when it was not submitted, else queries the network, and stores the answer.
   * Repeated runs make one refund. Throws while the network does not answer definitely.
   */
  followRefund(input: { refundId: string }): Promise<FollowedRefund>;
}

export interface RefundActivityDeps {
  database: Database;
  connectors: Connectors;
  /** Starts the deliveries of committed events. */
  webhooks: Pick<WebhookDispatcher, 'dispatch'>;
  now: () => number;
}

/** How long a refund that never arrived is sent again before its key is closed at the network, in ms. */
const giveUpAfterMs = 12 * 3_600_000;

/** How long a refund waits for the checks of the payment's other refunds, in ms. */
const afterOthersMs = 60_000;

interface RefundUpdate {
  status: NetworkRefund['status'];
  failureCode: string | null;
  message: string | null;
}

/** The messages that merchants read about a failed refund, by code; receivers accept unknown codes. */
const failureTexts: Readonly<Record<string, string>> = {
  refund_rejected: 'The refund was rejected.',
  refund_not_submitted: 'The refund could not be submitted; nothing was given back.',
};

/**
 * Returns what is stored of a refund as the network reports it. `voidedAs`: the failure code of a refund
 * whose key was closed.
 */
function toUpdate(refund: Pick<NetworkRefund, 'status' | 'failureCode'>, voidedAs: string): RefundUpdate {
  if (refund.status !== 'failed') return { status: refund.status, failureCode: null, message: null };
  const code = (refund.failureCode === 'voided' ? voidedAs : refund.failureCode) ?? 'refund_rejected';
  return {
    status: 'failed',
    failureCode: code.slice(0, 128),
    message: entryNamed(failureTexts, code) ?? 'The refund failed.',
  };
}

/** Returns the refund that a network refused to make. */
const rejected = ({ key, paymentId, amountCents }: RefundRequest): NetworkRefund => {
  return { key, paymentId, amountCents, status: 'failed', failureCode: 'refund_rejected' };
};

/** Reads a refund that was made at the network, and so is never sent. Returns null when it is not found. */
async function readRefundOfNetwork(
  { elsewhere }: RefundNetwork,
  { providerReference: charge }: { providerReference: string | null },
  reference: string,
): Promise<RefundUpdate | null> {
  if (elsewhere === null || charge === null) return null;
  const found = (await elsewhere.refundsOf(charge)).find((refund) => refund.reference === reference);
  return found ? toUpdate(found, 'refund_rejected') : null;
}

/** Returns the activity that advances refunds. A refund's id is its key at the network in every run. */
export function createRefundActivities(deps: RefundActivityDeps): RefundActivities {
  const { database, connectors, webhooks, now } = deps;

  /**
   * Returns the refund's state at the network, and sends the refund if the network does not have it; null
   * when nothing can be stored. `first`: this run submits it first. Otherwise the network is queried before
   * it is sent, because a network may forget a key, and would then refund twice.
   */
  const queryOrSend = async (refund: RefundRecord, first: boolean): Promise<RefundUpdate | null> => {
    const paid = await findPaidAttempt(database, refund.paymentId);
    if (paid === null) throw new Error(`payment ${refund.paymentId} has refunds but no paid attempt`);
    const request = {
      key: refund.id,
      paymentId: refund.paymentId,
      chargeKey: attemptKey(refund.paymentId, paid.attemptNo),
      chargeReference: paid.providerReference,
      amountCents: refund.amountCents,
    };
    const { refunds: network } = await connectors.portsOf(paid);
    if (refund.providerReference !== null)
      return readRefundOfNetwork(network, paid, refund.providerReference);
    if (!first) {
      const found = await network.lookupRefund(request);
      if (found) return toUpdate(found, 'refund_rejected');
      // A confirmed refund that the network no longer knows proves nothing.
      if (refund.status !== 'pending') return null;
      const ageMs = now() - (refund.submittedAt ?? refund.createdAt).getTime();
      if (network.voidRefund && ageMs > giveUpAfterMs) {
        return toUpdate(await network.voidRefund(request), 'refund_not_submitted');
      }
    }
    const answer = await network.refund(request);
    if (answer !== 'refused') return toUpdate(answer, 'refund_rejected');
    // An earlier send may still be in transit, so the key is closed before the refund is stored as failed. At
    // a network that closes no keys the refusal stands under the key, unless an earlier send made the refund.
    const closed = network.voidRefund
      ? await network.voidRefund(request)
      : await network.lookupRefund(request);
    return toUpdate(closed ?? rejected(request), 'refund_rejected');
  };

  return {
    followRefund: async ({ refundId }) => {
      const marked = await markRefundSubmitted(database, refundId, new Date(now()));
      if (!marked) {
        const ended = await loadRefund(database, refundId);
        return { status: ended?.status ?? 'canceled', paymentStatus: null, nextLookInMs: null };
      }
      const update = await queryOrSend(marked.refund, marked.first);
      const at = new Date(now());
      const written = await inTransaction(database, async (transaction) => {
        const recorded = update && (await recordRefundStatus(transaction, refundId, update, at));
        if (recorded === 'too_much') {
          await scheduleRefundCheck(transaction, refundId, new Date(at.getTime() + afterOthersMs));
          return null;
        }
        const refund = recorded?.row ?? marked.refund;
        await scheduleRefundCheck(transaction, refundId, nextRefundCheck(refund, at));
        return { refund, paymentStatus: recorded?.paymentStatus ?? null, eventIds: recorded?.eventIds ?? [] };
      });
      if (written === null) return { status: 'pending', paymentStatus: null, nextLookInMs: afterOthersMs };
      for (const eventId of written.eventIds) webhooks.dispatch(eventId);
      const { status } = written.refund;
      const next = status === 'pending' ? nextRefundCheck(written.refund, at) : null;
      return {
        status,
        paymentStatus: written.paymentStatus,
        nextLookInMs: next && next.getTime() - at.getTime(),
      };
    },
  };
}
