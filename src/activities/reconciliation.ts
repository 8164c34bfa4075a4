import pMap from 'p-map';
import type { ReconciliationResult } from '../domain/reconciliation.ts';
import { type ComparisonStep, comparePage, comparisonSteps } from '../db/reconciliation/compare.ts';
import { finishRun, listDifferences } from '../db/reconciliation/differences.ts';
import { recordProviderMovements } from '../db/movements/provider-movements.ts';
import { clearItems, type ItemKind, type ReportedItem, stageItems } from '../db/reconciliation/items.ts';
import {
  countCandidates,
  dueCandidates,
  postponeLookup,
  recordLookup,
} from '../db/reconciliation/lookups.ts';
import { connectorsOf, continueRun, loadRun, type ReconciliationRun } from '../db/reconciliation/runs.ts';
import type { Database } from '../db/server/database.ts';
import type { ConnectorOwner, Connectors } from '../providers/connectors.ts';
import type { ListedPage, ListedSpan, NetworkListings } from '../providers/listings.ts';
import { ProviderUnavailable } from '../providers/ports.ts';
import type { ReconciliationAdvance, ReconciliationPlace } from '../temporal/contract/reconciliation.ts';
import { createLookup, type LookupDeps } from './reconciliation-lookups.ts';

/** The activities of a reconciliation, as its workflow sees them. Each may run any number of times. */
export interface ReconciliationActivities {
  /**
   * Does the next part of a run, which takes some seconds, and returns where it continues. Throws while the
   * provider does not answer definitely.
   */
  advanceReconciliation(input: { runId: string; place: ReconciliationPlace }): Promise<ReconciliationAdvance>;
  /** Ends a run and returns its result, with at most 500 differences. */
  finishReconciliation(input: { runId: string; problem: string | null }): Promise<ReconciliationResult>;
}

/** How long one part works before it returns, in ms. */
const partMs = 4_000;
/** Rows of one comparison, lookups of one batch, and concurrent lookups. */
const comparedRows = 1_000;
const lookupsPerBatch = 50;
const lookupsAtOnce = 8;
/** The pause before a difference is checked again, in ms. */
const lookupPauseMs = 10_500;
/** The most pages of one list and the most differences of one run: beyond them something larger is wrong. */
const maxPages = 50_000;
const maxDifferences = 10_000;
/** Differences in the workflow's result; the rows hold all of them. */
const shownDifferences = 500;
const clearedRows = 10_000;

/** The provider's lists, in the order in which they are read. */
const lists = ['charge', 'refund', 'dispute'] as const;
const read: Readonly<
  Record<
    ItemKind,
    (from: NetworkListings, span: ListedSpan, cursor: string | null) => Promise<ListedPage<ReportedItem>>
  >
> = {
  charge: async (from, span, cursor) => {
    const page = await from.listCharges(span, cursor);
    return { ...page, items: page.items.map((item) => ({ ...item, chargeReference: null })) };
  },
  refund: (from, span, cursor) => from.listRefunds(span, cursor),
  dispute: async (from, span, cursor) => {
    const page = await from.listDisputes(span, cursor);
    return { ...page, items: page.items.map((item) => ({ ...item, key: null })) };
  },
};

/** One step of a run. */
type Step =
  | { do: 'list'; owner: ConnectorOwner; kind: ItemKind }
  | { do: 'compare'; step: ComparisonStep }
  | { do: 'lookup' }
  | { do: 'balance'; owner: ConnectorOwner };

/** Returns the steps of a run, which begin with the lists of each provider. */
const stepsOf = (owners: readonly ConnectorOwner[]): Step[] => [
  ...owners.flatMap((owner) => lists.map((kind): Step => ({ do: 'list', owner, kind }))),
  ...comparisonSteps.map((step): Step => ({ do: 'compare', step })),
  { do: 'lookup' },
  // Last, so that the other steps have the same numbers in every build, also for a run in progress.
  ...owners.map((owner): Step => ({ do: 'balance', owner })),
];

const ended = (problem: string | null = null): ReconciliationAdvance => ({ next: null, pauseMs: 0, problem });

/** Returns the activities of reconciliations. */
export function createReconciliationActivities(
  deps: LookupDeps & { database: Database; connectors: Connectors },
): ReconciliationActivities {
  const { database, connectors } = deps;
  const lookUp = createLookup(deps);

  /** Returns the merchant's connectors, and the simulators where the environment has them. */
  const ownersOf = async (run: ReconciliationRun): Promise<ConnectorOwner[]> => {
    const own: (string | null)[] = await connectorsOf(database, run);
    if (connectors.simulated.includes(run.environment)) own.push(null);
    return own.map((connectorId) => ({ connectorId, environment: run.environment }));
  };

  return {
    advanceReconciliation: async ({ runId, place }) => {
      const run = await continueRun(database, runId);
      if (run === null) return ended();
      const owners = await ownersOf(run);
      if (owners.length === 0) return ended('no_connector');
      const step = stepsOf(owners)[place.step];
      if (step === undefined) return ended();
      const endsAt = performance.now() + partMs;
      let { cursor, pages } = place;
      let problem: string | null = null;
      for (;;) {
        if (step.do === 'lookup') {
          const left = await lookUpBatch(database, lookUp, run);
          if (left === 'none') {
            return { next: { step: place.step + 1, cursor: null, pages: 0 }, pauseMs: 0, problem };
          }
          const next = { step: place.step, cursor: null, pages: pages + 1 };
          if (left === 'later') return { next, pauseMs: lookupPauseMs, problem };
          pages += 1;
        } else {
          if (pages >= maxPages) return ended('too_many_pages');
          const page =
            step.do === 'compare'
              ? { ...(await comparePage(database, run, step.step, cursor, comparedRows)), problem: null }
              : step.do === 'list'
                ? await list(deps, run, step, cursor)
                : await readBalance(deps, run, step, cursor);
          problem ??= page.problem;
          if ((await countCandidates(database, run.id, maxDifferences)) === maxDifferences) {
            return ended('too_many_differences');
          }
          cursor = page.next;
          pages += 1;
          if (cursor === null) {
            return { next: { step: place.step + 1, cursor: null, pages: 0 }, pauseMs: 0, problem };
          }
        }
        if (performance.now() > endsAt)
          return { next: { step: place.step, cursor, pages }, pauseMs: 0, problem };
      }
    },

    finishReconciliation: async ({ runId, problem }) => {
      const run = await continueRun(database, runId);
      if (run !== null) await finishRun(database, run, problem);
      while (await clearItems(database, runId, clearedRows));
      const finished = await loadRun(database, runId);
      if (finished === null) throw new ProviderUnavailable('network', false, 'the run is gone');
      const found = await listDifferences(database, runId, 0, shownDifferences);
      return {
        runId,
        complete: finished.status === 'complete',
        compared: { charges: finished.charges, refunds: finished.refunds, disputes: finished.disputes },
        totals: finished.totals,
        differences: found.map(({ kind, paymentId, ours, theirs, action }) => ({
          kind,
          paymentId,
          ours,
          theirs,
          action,
        })),
      };
    },
  };
}

/** Stores one page of the provider's list. */
async function list(
  { database, connectors }: Pick<LookupDeps, 'database' | 'connectors'>,
  run: ReconciliationRun,
  { owner, kind }: Step & { do: 'list' },
  cursor: string | null,
) {
  const { listings } = await connectors.portsOf(owner);
  if (listings === null) return { next: null, problem: 'no_lists' };
  const page = await read[kind](listings, spanOf(run), cursor);
  if (page.items.length > 0) await stageItems(database, run, owner.connectorId, kind, page.items);
  if (page.next !== null && page.next === cursor) return { next: null, problem: 'pages_do_not_advance' };
  return { next: page.next, problem: page.unreadable > 0 ? 'unreadable_items' : null };
}

/** Stores the fees and payouts of one page of the provider's balance. */
async function readBalance(
  { database, connectors }: Pick<LookupDeps, 'database' | 'connectors'>,
  run: ReconciliationRun,
  { owner }: Step & { do: 'balance' },
  cursor: string | null,
) {
  const { listings } = await connectors.portsOf(owner);
  if (!listings?.listBalance) return { next: null, problem: null };
  const page = await listings.listBalance(spanOf(run), cursor);
  if (page.items.length > 0) await recordProviderMovements(database, run, page.items);
  if (page.next !== null && page.next === cursor) return { next: null, problem: 'pages_do_not_advance' };
  return { next: page.next, problem: null };
}

const spanOf = ({ merchantId, spanFrom, spanTo }: ReconciliationRun): ListedSpan => ({
  merchantId,
  fromMs: spanFrom.getTime(),
  toMs: spanTo.getTime(),
});

/** Checks one batch of possible differences; returns whether any are left. */
async function lookUpBatch(
  database: Database,
  lookUp: ReturnType<typeof createLookup>,
  run: ReconciliationRun,
): Promise<'more' | 'later' | 'none'> {
  const { candidates, left } = await dueCandidates(database, run.id, lookupsPerBatch);
  if (candidates.length === 0) return left > 0 ? 'later' : 'none';
  const failures: unknown[] = [];
  await pMap(
    candidates,
    async (candidate) => {
      try {
        await recordLookup(database, run.id, candidate.subject, await lookUp(run, candidate));
      } catch (error) {
        // One that fails does not block the others.
        failures.push(error);
        await postponeLookup(database, run.id, candidate.subject);
      }
    },
    { concurrency: lookupsAtOnce },
  );
  if (failures.length === candidates.length) throw failures[0];
  return 'more';
}
