import type { Keyring } from '../../crypto/keyring.ts';
import { findTimelineRequests } from '../../db/server/api-requests.ts';
import type { Database } from '../../db/server/database.ts';
import {
  findPaymentHistory,
  findTimelineEvents,
  loadTimelineDeliveries,
} from '../../db/payments/payment-history.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { type PaymentView, checkoutIsUsable, paymentView } from '../../domain/payment.ts';
import { paymentStates, stateAt } from '../../domain/payment-versions.ts';
import { timelineEntries } from '../../domain/timeline/entries.ts';
import type { TimelineEntry } from '../../domain/timeline/draft-entry.ts';
import { effectiveNow, waitingAt } from '../../domain/waiting-facts.ts';
import type { WaitingFor } from '../../domain/waiting.ts';
import { openCheckoutUrl } from './payment-reads.ts';

/** A payment at one instant, with its timeline up to then. */
export interface PaymentTimeline {
  payment: PaymentView;
  waitingFor: WaitingFor | null;
  entries: TimelineEntry[];
}

export interface TimelineDeps {
  database: Database;
  tenants: TenantReads;
  keyring: Keyring;
  now: () => number;
}

/**
 * Returns the tenant's payment as it was at `at` (null: as it is now), with its timeline up to then. Null:
 * there is no such payment, or it did not exist yet. `withRequests`: includes the calls that requested a
 * change, as far as they are stored. docs/readings.md.
 */
export async function readTimeline(
  deps: TimelineDeps,
  tenant: Tenant,
  id: string,
  at: Date | null,
  withRequests: boolean,
): Promise<PaymentTimeline | null> {
  const read = await deps.tenants.read(tenant, async (database) => {
    const history = await findPaymentHistory(database, tenant, id);
    if (!history) return null;
    const events = await findTimelineEvents(database, id);
    return {
      history,
      events,
      requests: withRequests ? await findTimelineRequests(database, tenant, id) : [],
    };
  });
  if (!read) return null;
  const { history, events, requests } = read;
  // The payment belongs to the tenant, as checked above: deliveries have no row security of their own.
  const deliveries = await loadTimelineDeliveries(deps.database, id);
  const now = new Date(deps.now());
  const instant = at !== null && at < now ? at : effectiveNow(history, now);
  const states = paymentStates(history.payment, history.versions);
  const state = stateAt(states, instant);
  if (!state) return null;
  const usable = checkoutIsUsable(state.payment) && checkoutIsUsable(history.payment);
  return {
    payment: paymentView(state.payment, usable ? openCheckoutUrl(deps.keyring, history.payment) : null),
    waitingFor: waitingAt(state, states, history, instant),
    entries: timelineEntries({ ...history, states, events, deliveries, requests }, instant),
  };
}
