import type { ProviderRefundActivities } from '../activities/provider-refunds.ts';
import type { Database } from '../db/server/database.ts';
import {
  type RefundHints,
  dueRefundHints,
  refundHintsAreDue,
  recordRefundHintChecks,
  storeListedRefunds,
} from '../db/refunds/provider-refund-hints.ts';
import { loadCursor } from '../db/merchants/provider-cursors.ts';
import type { Connectors } from '../providers/connectors.ts';
import type { SweepAlerts } from './alerts.ts';
import { runAllSteps } from './run-all-steps.ts';
import { pollEachConnector } from './poll-connectors.ts';
import { type CheckQueue, processDue, nextChecks } from './process-due.ts';
import { type Sweep, everythingIsDue } from './sweep.ts';

/**
 * Returns the sweep that reads the new refunds of every connector's account from where they were last read,
 * and records those that were made there, even when no webhook reported them. ADR 0024.
 */
export function createProviderRefundSweep(deps: {
  database: Database;
  connectors: Connectors;
  network: Pick<ProviderRefundActivities, 'recordProviderRefunds'>;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
}): Sweep {
  const { database, connectors, alerts } = deps;
  const pollConnectors = pollEachConnector({
    what: 'refunds',
    database,
    now: deps.now,
    poll: async ({ id, kind, environment }, going) => {
      const { elsewhere } = (await connectors.portsOf({ connectorId: id, environment })).refunds;
      const provider = `${kind}:${id}`;
      if (elsewhere === null) return;
      for (let more = true; more && going();) {
        const cursor = await loadCursor(database, provider, 'refunds');
        const page = await elsewhere.listNewRefunds(cursor);
        if (page.cursor === null || !going()) return;
        more = page.more && page.cursor !== cursor;
        // Refunds that the provider listed out of order are behind the cursor. Those that are stored already
        // are left out.
        const now = new Date(deps.now());
        const behind = more || cursor === null ? [] : await elsewhere.listRefundsBehind(cursor, now);
        if (!going()) return;
        if (page.refunds.length + behind.length === 0 && page.cursor === cursor) return;
        const { refunds } = page;
        await storeListedRefunds(database, id, { provider, refunds, behind, cursor: page.cursor }, now);
      }
    },
  });
  const hints: CheckQueue<RefundHints> = {
    name: 'refunds of the provider',
    condition: refundHintsAreDue,
    due: (now, limit) => dueRefundHints(database, now, limit),
    check: async ({ id }) => {
      await deps.network.recordProviderRefunds({ paymentId: id });
      return null;
    },
    record: (checked, now) => recordRefundHintChecks(database, nextChecks(checked), now),
  };
  return {
    name: 'provider refunds',
    role: 'provider',
    everyMs: deps.everyMs,
    conditions: [hints.condition],
    run: (going, isDue = everythingIsDue) =>
      runAllSteps([
        () => pollConnectors(going),
        () => processDue(hints, { now: deps.now, alerts, going, isDue }),
      ]),
  };
}
