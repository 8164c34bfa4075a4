import { findPaidAttempt } from '../db/payments/attempts.ts';
import { type Database, inTransaction } from '../db/server/database.ts';
import { recordProviderRefund } from '../db/refunds/provider-refunds.ts';
import { listPaymentRefunds } from '../db/refunds/refund-reads.ts';
import type { Connectors } from '../providers/connectors.ts';
import type { FoundRefund } from '../providers/refund-port.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';

/** The activity of the sweep that finds refunds made at the provider. */
export interface ProviderRefundActivities {
  /**
   * Reads a payment's refunds at the provider and records those that were not made here, with their statuses.
   * Repeated runs record each refund once. Throws while the provider does not answer definitely, and when a
   * refund does not fit the rows yet; it is then read again later.
   */
  recordProviderRefunds(input: { paymentId: string }): Promise<void>;
}

/** Returns the activity that records refunds which were made at the provider. ADR 0024. */
export function createProviderRefundActivities(deps: {
  database: Database;
  connectors: Connectors;
  /** Starts the deliveries of committed events. */
  webhooks: Pick<WebhookDispatcher, 'dispatch'>;
  now: () => number;
}): ProviderRefundActivities {
  const { database, connectors, webhooks } = deps;

  /** Records one refund. Returns why it does not fit the rows yet; null: it is recorded. */
  const record = async (paymentId: string, refund: FoundRefund): Promise<string | null> => {
    const recorded = await inTransaction(database, (transaction) =>
      recordProviderRefund(transaction, paymentId, refund, new Date(deps.now())),
    );
    if (typeof recorded === 'string') return recorded;
    for (const eventId of recorded.eventIds) webhooks.dispatch(eventId);
    return null;
  };

  return {
    recordProviderRefunds: async ({ paymentId }) => {
      const paid = await findPaidAttempt(database, paymentId);
      // The provider is ahead of the rows. The payment's own recovery check will find it paid.
      if (paid === null)
        throw new Error(`payment ${paymentId} is refunded at its provider and not paid in the rows`);
      const { elsewhere } = (await connectors.portsOf(paid)).refunds;
      if (elsewhere === null || paid.providerReference === null) return;
      const found = await elsewhere.refundsOf(paid.providerReference);
      const ours = new Set(
        (await listPaymentRefunds(database, paymentId))
          .filter(({ providerReference }) => providerReference === null)
          .map(({ id }) => id),
      );
      const misfits: string[] = [];
      for (const refund of found.filter(({ key }) => key === null || !ours.has(key))) {
        const misfit = await record(paymentId, refund);
        if (misfit !== null) misfits.push(`${refund.reference} ${misfit}`);
      }
      if (misfits.length > 0)
        throw new Error(`refunds do not fit payment ${paymentId}: ${misfits.join(', ')}`);
    },
  };
}
