import { countOpenAlerts, readDeliveryFigures, readPaymentFigures } from '../db/server/system-figures.ts';
import { readReconciliationFigures } from '../db/reconciliation/differences.ts';
import type { Database } from '../db/server/database.ts';
import { differenceKinds } from '../domain/reconciliation.ts';
import type { SystemFigures } from '../metrics/system-figures.ts';
import type { Sweep } from './sweep.ts';

/** How often the figures are read, and how old the shown figures may be, in ms. */
const everyMs = 4_000;
const figuresMaxAgeMs = 10_000;
/** The same for reconciliations, which end once a night. */
const reconciliationsEveryMs = 20_000;
const reconciliationsMaxAgeMs = 60_000;

/** A figure. It may be shown only while the process that read it still leads (`going`). */
interface Cached<T> {
  value: T;
  readAt: number;
  going: () => boolean;
}

/**
 * Returns the sweeps that read the figures of the whole system, and the figures that may be shown now: none
 * in a process that does not lead, and none that is too old. `kinds`: the kinds of operator alerts that are
 * shown even when none is open.
 */
export function createFigureSweeps(deps: {
  database: Database;
  kinds: readonly string[];
  /** In ms; never goes back. */
  clock?: () => number;
}): {
  sweeps: Sweep[];
  figures: SystemFigures;
} {
  const { database, kinds, clock = () => performance.now() } = deps;
  const reconciliations = createCache(clock, reconciliationsMaxAgeMs, async () => {
    const { differences, lastSuccessSeconds } = await readReconciliationFigures(database);
    const openOf = new Map(differences.map(({ kind, open }) => [kind, open]));
    return {
      differences: differenceKinds.map((kind) => ({ kind, open: openOf.get(kind) ?? 0 })),
      lastSuccessSeconds,
    };
  });
  const payments = createCache(clock, figuresMaxAgeMs, async () => {
    const [environments, open] = await Promise.all([readPaymentFigures(database), countOpenAlerts(database)]);
    const none = kinds.filter((kind) => !open.some((alert) => alert.kind === kind));
    return { environments, alerts: [...open, ...none.map((kind) => ({ kind, open: 0 }))] };
  });
  const deliveries = createCache(clock, figuresMaxAgeMs, () => readDeliveryFigures(database));
  return {
    sweeps: [
      { name: 'figures', role: 'payments', everyMs, readsOnly: true, run: payments.run },
      {
        name: 'reconciliation figures',
        role: 'payments',
        everyMs: reconciliationsEveryMs,
        readsOnly: true,
        run: reconciliations.run,
      },
      { name: 'delivery figures', role: 'webhooks', everyMs, readsOnly: true, run: deliveries.run },
    ],
    figures: {
      payments: payments.current,
      deliveries: deliveries.current,
      reconciliations: reconciliations.current,
    },
  };
}

/**
 * Returns the run of a sweep that reads one figure, and `current`, which returns the figure; null while it
 * may not be shown. `maxAgeMs`: its highest age.
 */
function createCache<T>(
  clock: () => number,
  maxAgeMs: number,
  read: () => Promise<T>,
): { run: Sweep['run']; current: () => T | null } {
  let last: Cached<T> | null = null;
  return {
    run: async (going) => {
      const readAt = clock();
      last = { value: await read(), readAt, going };
    },
    current: () => (last !== null && last.going() && clock() - last.readAt <= maxAgeMs ? last.value : null),
  };
}
