import { storedStatus } from '../activities/disputes.ts';
import { type ConnectorRecord, listConnectors } from '../db/connectors.ts';
import type { Database } from '../db/database.ts';
import {
  type DueDispute,
  dueDisputes,
  dueHeardDisputes,
  forgetRecordedDisputes,
  loadDisputeCursor,
  postponeHeardLooks,
  takeInDisputes,
} from '../db/dispute-looks.ts';
import { disputeIdOf } from '../db/disputes.ts';
import { postponeLooks } from '../db/next-look.ts';
import type { ConnectorOwner, Connectors } from '../providers/connectors.ts';
import type { DisputeWorkflows } from '../temporal/clients/disputes.ts';
import type { SweepAlerts } from './alerts.ts';
import { allOf } from './all-of.ts';
import { type LookQueue, lookAtEach, nextLooks } from './look-at-each.ts';
import type { Sweep } from './sweep.ts';

/** The names under which the cursors of the simulators' lists are kept. */
const simulators = { sandbox: 'network', live: 'network:live' } as const;
/** Connectors read at a time. */
const connectorsAtOnce = 100;
/** How often the list of a connector is read, in ms: its webhooks tell sooner. */
const hearEveryMs = 60_000;
const forgottenAtOnce = 1_000;
/** After its workflow was started a dispute is given this long to be recorded or looked at by it, in ms. */
const startedForMs = 60_000;

/**
 * Reads the network's list of changed disputes from where it was last read, and starts the workflow of every
 * dispute that needs one: a change, an instant of its own, or the long look that a lost change waits for.
 */
export function createDisputeSweep(deps: {
  database: Database;
  connectors: Connectors;
  workflows: Pick<DisputeWorkflows, 'notify'>;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
}): Sweep {
  const { database, connectors, workflows, alerts } = deps;
  /** When the list of each connector was read last, in this process. */
  const heardAt = new Map<string, number>();

  const hear = async (provider: string, owner: ConnectorOwner, going: () => boolean): Promise<void> => {
    const { disputes: network } = await connectors.portsOf(owner);
    for (let more = true; more && going();) {
      const cursor = await loadDisputeCursor(database, provider);
      const page = await network.listDisputeChanges(cursor);
      if (page.cursor === null || page.cursor === cursor) return;
      const disputes = page.disputes.map(({ disputeId: reference, paymentId, status }) => {
        return { id: disputeIdOf(reference), reference, paymentId, status: storedStatus(status) };
      });
      await takeInDisputes(database, provider, { disputes, cursor: page.cursor }, new Date(deps.now()));
      more = page.more;
    }
  };

  /** Reads the lists of the connectors that are due; one that fails keeps none of the others waiting. */
  const hearConnectors = async (going: () => boolean): Promise<void> => {
    let afterId: string | null = null;
    const failures: unknown[] = [];
    do {
      const page: ConnectorRecord[] = await listConnectors(database, {}, afterId, connectorsAtOnce);
      afterId = page.length < connectorsAtOnce ? null : (page.at(-1)?.id ?? null);
      for (const { id, kind, environment } of page) {
        if (!going() || deps.now() - (heardAt.get(id) ?? 0) < hearEveryMs) continue;
        heardAt.set(id, deps.now());
        await hear(`${kind}:${id}`, { connectorId: id, environment }, going).catch((error: unknown) =>
          failures.push(error),
        );
      }
    } while (afterId !== null && going());
    if (failures.length > 0) throw new Error(`${failures.length} connectors do not tell their disputes`);
  };

  const look = async (dispute: DueDispute, now: Date): Promise<Date> => {
    await workflows.notify(dispute);
    return new Date(now.getTime() + startedForMs);
  };
  const known: LookQueue<DueDispute> = {
    name: 'disputes',
    due: (now, limit) => dueDisputes(database, now, limit),
    look,
    settle: (looked, now) => postponeLooks(database, 'disputes', nextLooks(looked), now),
  };
  const heard: LookQueue<DueDispute> = {
    name: 'disputes heard of',
    due: (now, limit) => dueHeardDisputes(database, now, limit),
    look,
    settle: (looked) => postponeHeardLooks(database, nextLooks(looked)),
  };

  return {
    name: 'disputes',
    role: 'provider',
    everyMs: deps.everyMs,
    run: async (going) => {
      const turn = { now: deps.now, alerts, going };
      await allOf([
        ...connectors.simulated.map(
          (environment) => () => hear(simulators[environment], { connectorId: null, environment }, going),
        ),
        () => hearConnectors(going),
        () => forgetRecordedDisputes(database, new Date(deps.now()), forgottenAtOnce),
        () => lookAtEach(heard, turn),
        () => lookAtEach(known, turn),
      ]);
    },
  };
}
