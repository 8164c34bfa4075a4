import { knownPayments, knownRefunds } from '../db/payments/known-payments.ts';
import { scheduleEndedRuns } from '../db/payments/payment-checks.ts';
import type { Database } from '../db/server/database.ts';
import { holdWrites, readRestoreWatch, recordCompared } from '../db/server/restore-watch.ts';
import type { KnownRuns } from '../temporal/clients/known-runs.ts';
import type { Sweep } from './sweep.ts';

/** Pause between two comparisons, and between two reads of the record of the last one, in ms. */
const compareEveryMs = 60 * 60_000;
const readEveryMs = 30_000;
/** A comparison begins this long before the end of the last one, in ms, because Temporal lists runs late. */
const overlapMs = 60 * 60_000;
/** How far the first comparison of a database goes back, in ms. */
const firstLookBackMs = 24 * 60 * 60_000;
/** Runs that one comparison lists, the newest first. */
const maxComparedRuns = 20_000;

/**
 * Returns the sweep that compares the newest payments and refunds that Temporal knows with the rows. It
 * compares when the process begins to lead, each hour, and as soon as the record of the comparison itself has
 * gone back in time. When rows are missing, writes that make or move money are held until an operator ends
 * the hold. Payments whose run has completed and whose rows are not final are checked. ADR 0062.
 */
export function createRestoredRowSweep(deps: {
  database: Database;
  runs: Pick<KnownRuns, 'listSince'>;
  now: () => number;
  /** Called when writes begin to be held, with the number of payments and refunds without rows. */
  onRowsMissing: (missing: { payments: number; refunds: number }) => void;
}): Sweep {
  const { database, runs } = deps;
  /** The end of the comparison that this process recorded last; null: it has compared nothing yet. */
  let comparedUntil: number | null = null;

  const compare = async (since: Date, endedAt: Date | null, going: () => boolean): Promise<void> => {
    const missing = { payments: 0, refunds: 0 };
    let compared = 0;
    for await (const page of runs.listSince(since)) {
      if (!going()) return;
      const idsOf = (kind: 'payment' | 'refund') =>
        page.flatMap((run) => (run.kind === kind && isUuid(run.id) ? [run.id] : []));
      const payments = await knownPayments(database, idsOf('payment'));
      const refunds = await knownRefunds(database, idsOf('refund'));
      for (const { kind, id, startedAtMs } of page) {
        if (!isUuid(id) || payments.has(id) || refunds.has(id)) continue;
        // Rows that could not be restored stay missing, and do not count again.
        if (endedAt === null || startedAtMs >= endedAt.getTime()) missing[`${kind}s`] += 1;
      }
      const behind = page.filter(
        ({ id, hasCompleted }) => hasCompleted && payments.get(id)?.isFinal === false,
      );
      if (behind.length > 0) {
        await scheduleEndedRuns(
          database,
          behind.map(({ id }) => id),
          new Date(deps.now()),
        );
      }
      compared += page.length;
      if (compared >= maxComparedRuns) break;
    }
    if (missing.payments + missing.refunds === 0) return;
    const detail = `missing:${missing.payments}:payments:${missing.refunds}:refunds`;
    if (await holdWrites(database, { lostSince: since, detail })) deps.onRowsMissing(missing);
  };

  return {
    // Not the name of the alert, which a successful run would clear.
    name: 'lost rows',
    role: 'payments',
    everyMs: readEveryMs,
    run: async (going) => {
      const watch = await readRestoreWatch(database);
      const recorded = watch.comparedUntil;
      const now = deps.now();
      const hasGoneBack = recorded?.getTime() !== comparedUntil;
      if (!hasGoneBack && now - (comparedUntil ?? 0) < compareEveryMs) return;
      const since = new Date((recorded?.getTime() ?? now - firstLookBackMs) - overlapMs);
      await compare(since, watch.endedAt, going);
      if (!going()) return;
      await recordCompared(database, new Date(now));
      comparedUntil = now;
    },
  };
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
