import { storedStatus } from '../activities/disputes.ts';
import type { Database } from '../db/server/database.ts';
import {
  type DisputeHint,
  type DueDispute,
  disputeHintsAreDue,
  disputesAreDue,
  dueDisputes,
  dueDisputeHints,
  forgetRecordedDisputes,
  markDisputeUnreadable,
  recordHintChecks,
  storeListedDisputes,
} from '../db/disputes/dispute-checks.ts';
import { disputeIdOf } from '../db/disputes/disputes.ts';
import { findByProviderReference } from '../db/payments/attempts.ts';
import { recordChecks } from '../db/server/next-check.ts';
import { loadCursor, loadCursors } from '../db/merchants/provider-cursors.ts';
import type { ConnectorOwner, Connectors } from '../providers/connectors.ts';
import type { NetworkDispute, UnreadableDispute } from '../providers/dispute-port.ts';
import { sweepHealedTotal } from '../metrics/series.ts';
import type { DisputeWorkflows } from '../temporal/clients/disputes.ts';
import type { SweepAlerts } from './alerts.ts';
import { runAllSteps } from './run-all-steps.ts';
import { pollEachConnector } from './poll-connectors.ts';
import { type CheckQueue, processDue, nextChecks } from './process-due.ts';
import { type Sweep, everythingIsDue } from './sweep.ts';

/** The names under which the cursors of the simulators' lists are stored. */
const simulators = { sandbox: 'network', live: 'network:live' } as const;
/** Hints of stored disputes that one statement deletes. */
const hintsDeletedAtOnce = 1_000;
/**
 * How long a dispute's workflow has, after it was started or signaled, to record or check the dispute, in ms.
 * The next check replaces a stuck run.
 */
const graceMs = { signaled: 30_000, busy: 15_000 } as const;

/**
 * Returns the sweep that reads the network's list of changed disputes from where it was last read, and starts
 * the workflow of every dispute that needs one: after a change, for a deadline, or for the rare check that
 * finds a lost change.
 */
export function createDisputeSweep(deps: {
  database: Database;
  connectors: Connectors;
  workflows: Pick<DisputeWorkflows, 'recover'>;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
}): Sweep {
  const { database, workflows, alerts } = deps;
  const poll = createDisputePoll(deps);

  const check = async (dispute: DueDispute, now: Date): Promise<Date> => {
    const run = await workflows.recover(dispute);
    if (run === 'signaled') sweepHealedTotal.inc({ sweep: 'disputes' });
    return new Date(now.getTime() + graceMs[run]);
  };
  const stored: CheckQueue<DueDispute> = {
    name: 'disputes',
    condition: disputesAreDue,
    due: (now, limit) => dueDisputes(database, now, limit),
    check,
    record: (checked, now) => recordChecks(database, 'disputes', nextChecks(checked), now),
  };
  const hints: CheckQueue<DueDispute> = {
    name: 'dispute hints',
    condition: disputeHintsAreDue,
    due: (now, limit) => dueDisputeHints(database, now, limit),
    check,
    record: (checked, now) => recordHintChecks(database, nextChecks(checked), now),
  };

  return {
    name: 'disputes',
    role: 'provider',
    everyMs: deps.everyMs,
    conditions: [stored.condition, hints.condition],
    run: async (going, isDue = everythingIsDue) => {
      const sweepContext = { now: deps.now, alerts, going, isDue };
      await runAllSteps([
        () => poll.simulators(going),
        () => poll.connectors(going),
        async () => {
          if (!going() || !isDue(hints.condition)) return;
          await forgetRecordedDisputes(database, new Date(deps.now()), hintsDeletedAtOnce);
        },
        () => processDue(hints, sweepContext),
        () => processDue(stored, sweepContext),
      ]);
    },
  };
}

/** Returns the functions that read the lists of changed disputes of the simulators, and of each connector. */
function createDisputePoll(deps: { database: Database; connectors: Connectors; now: () => number }): {
  simulators: (going: () => boolean) => Promise<void>;
  connectors: (going: () => boolean) => Promise<void>;
} {
  const { database, connectors } = deps;
  const poll = async (
    provider: string,
    owner: ConnectorOwner,
    start: string | null,
    going: () => boolean,
  ): Promise<void> => {
    const { disputes: network } = await connectors.portsOf(owner);
    for (let more = true, cursor = start; more && going();) {
      const page = await network.listDisputeChanges(cursor);
      if (page.cursor === null || page.cursor === cursor || !going()) return;
      const disputes = page.disputes.map(hintOf);
      for (const dispute of page.unreadable) disputes.push(...(await hintOfUnreadable(owner, dispute)));
      const listed = { disputes, cursor: page.cursor };
      await storeListedDisputes(database, { provider, ...owner }, listed, new Date(deps.now()));
      more = page.more;
      cursor = page.cursor;
    }
  };

  /**
   * Returns the hint of an unreadable dispute when its payment is known; that dispute's own checks then alert
   * and read it again. Alerts here when no payment is named.
   */
  const hintOfUnreadable = async (
    { connectorId }: ConnectorOwner,
    { disputeId: reference, paymentId, chargeReference, problem }: UnreadableDispute,
  ): Promise<DisputeHint[]> => {
    const id = disputeIdOf(reference);
    const hasReference = reference !== '';
    const namedPaymentId =
      paymentId ??
      (connectorId !== null && chargeReference !== null
        ? await findByProviderReference(database, connectorId, chargeReference)
        : null);
    if (hasReference && namedPaymentId !== null) {
      return [{ id, reference, paymentId: namedPaymentId, reported: null }];
    }
    // At Stripe this is a dispute of a payment that was not made here.
    if (hasReference && chargeReference !== null) return [];
    const unnamed = { id, reference: reference || 'unnamed', detail: problem, onlyIfKnown: false };
    await markDisputeUnreadable(database, unnamed, new Date(deps.now()));
    return [];
  };

  const pollSimulators = async (going: () => boolean): Promise<void> => {
    if (connectors.simulated.length === 0) return;
    const providers = connectors.simulated.map((environment) => simulators[environment]);
    const cursors = await loadCursors(database, providers, 'disputes');
    await runAllSteps(
      connectors.simulated.map((environment) => () => {
        const provider = simulators[environment];
        return poll(provider, { connectorId: null, environment }, cursors.get(provider) ?? null, going);
      }),
    );
  };

  const pollConnectors = pollEachConnector({
    what: 'disputes',
    database,
    now: deps.now,
    poll: async ({ id, kind, environment }, going) => {
      const provider = `${kind}:${id}`;
      const cursor = await loadCursor(database, provider, 'disputes');
      await poll(provider, { connectorId: id, environment }, cursor, going);
    },
  });

  return { simulators: pollSimulators, connectors: pollConnectors };
}

const hintOf = (dispute: NetworkDispute): DisputeHint => {
  const { disputeId: reference, paymentId, stage, status, amountCents, evidenceDueAt } = dispute;
  const due = evidenceDueAt === null ? null : new Date(evidenceDueAt);
  const reported = { stage, status: storedStatus(status), amountCents, evidenceDueAt: due };
  return { id: disputeIdOf(reference), reference, paymentId, reported };
};
