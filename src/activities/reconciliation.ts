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
import type { ConnectorOwner } from '../providers/connectors.ts';
import type { ListedPage, ListedSpan, NetworkListings } from '../providers/listings.ts';
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
/** Rows of one comparison. */
const comparedRows = 1_000;
/** Lookups of one batch, and how many of them are concurrent. */
const lookupsPerBatch = 50;
const lookupsAtOnce = 8;
/** The pause before a difference is checked again, in ms. */
const lookupPauseMs = 10_500;
/** The most pages of one list and the most differences of one run: beyond them something larger is wrong. */
const maxPages = 50_000;
const maxDifferences = 10_000;
/** Differences in the workflow's result; the rows hold all of them. */
const shownDifferences = 500;
/** Rows of the provider's lists that one statement deletes. */
const clearedRows = 10_000;

/** The provider's lists, in the order in which they are read. */
const lists = ['charge', 'refund', 'dispute'] as const;
const readLists: Readonly<
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

/** A step that reads pages, of a list or of the rows. */
type PagedStep = Exclude<Step, { do: 'lookup' }>;

/** Returns the steps of a run, which begin with the lists of each provider. */
const stepsOf = (owners: readonly ConnectorOwner[]): Step[] => [
  ...owners.flatMap((owner) => lists.map((kind): Step => ({ do: 'list', owner, kind }))),
  ...comparisonSteps.map((step): Step => ({ do: 'compare', step })),
  { do: 'lookup' },
  // Last, so that the other steps have the same numbers in every build, also for a run in progress.
  ...owners.map((owner): Step => ({ do: 'balance', owner })),
];

/** Returns the end of a run. `problem`: why it is not complete. */
const ended = (problem: string | null = null): ReconciliationAdvance => ({ next: null, pauseMs: 0, problem });

/** Returns the activities of reconciliations. */
export function createReconciliationActivities(deps: LookupDeps): ReconciliationActivities {
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
      return step.do === 'lookup'
        ? advanceLookups(database, lookUp, run, place)
        : advancePages(deps, run, step, place);
    },

    finishReconciliation: async ({ runId, problem }) => {
      const run = await continueRun(database, runId);
      if (run !== null) await finishRun(database, run, problem);
      while (await clearItems(database, runId, clearedRows));
      const finished = await loadRun(database, runId);
      if (finished === null) throw new Error(`reconciliation ${runId} does not exist`);
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

/** Returns the beginning of the step that follows. */
const stepAfter = ({ step }: ReconciliationPlace): ReconciliationPlace => ({
  step: step + 1,
  cursor: null,
  pages: 0,
});

/** Processes pages of a step until its last page, or until the part has worked for `partMs`. */
async function advancePages(
  deps: Pick<LookupDeps, 'database' | 'connectors'>,
  run: ReconciliationRun,
  step: PagedStep,
  place: ReconciliationPlace,
): Promise<ReconciliationAdvance> {
  const endsAt = performance.now() + partMs;
  let { cursor, pages } = place;
  let problem: string | null = null;
  for (;;) {
    if (pages >= maxPages) return ended('too_many_pages');
    const page = await processPage(deps, run, step, cursor);
    problem ??= page.problem;
    if ((await countCandidates(deps.database, run.id, maxDifferences)) === maxDifferences) {
      return ended('too_many_differences');
    }
    cursor = page.next;
    pages += 1;
    if (cursor === null) return { next: stepAfter(place), pauseMs: 0, problem };
    if (performance.now() > endsAt) {
      return { next: { step: place.step, cursor, pages }, pauseMs: 0, problem };
    }
  }
}

/** A processed page. `next`: the cursor of the page that follows; null: it was the last one. */
interface ProcessedPage {
  next: string | null;
  problem: string | null;
}

async function processPage(
  deps: Pick<LookupDeps, 'database' | 'connectors'>,
  run: ReconciliationRun,
  step: PagedStep,
  cursor: string | null,
): Promise<ProcessedPage> {
  switch (step.do) {
    case 'list':
      return storeListPage(deps, run, step, cursor);
    case 'compare': {
      const { next } = await comparePage(deps.database, run, step.step, cursor, comparedRows);
      return { next, problem: null };
    }
    case 'balance':
      return storeBalancePage(deps, run, step, cursor);
  }
}

/**
 * Checks possible differences batch by batch, until none is due, or until the part has worked for `partMs`.
 */
async function advanceLookups(
  database: Database,
  lookUp: ReturnType<typeof createLookup>,
  run: ReconciliationRun,
  place: ReconciliationPlace,
): Promise<ReconciliationAdvance> {
  const endsAt = performance.now() + partMs;
  for (let pages = place.pages + 1; ; pages += 1) {
    const left = await lookUpBatch(database, lookUp, run);
    if (left === 'none') return { next: stepAfter(place), pauseMs: 0, problem: null };
    const next = { step: place.step, cursor: null, pages };
    if (left === 'later') return { next, pauseMs: lookupPauseMs, problem: null };
    if (performance.now() > endsAt) return { next, pauseMs: 0, problem: null };
  }
}

/** Stores one page of the provider's list. */
async function storeListPage(
  { database, connectors }: Pick<LookupDeps, 'database' | 'connectors'>,
  run: ReconciliationRun,
  { owner, kind }: Step & { do: 'list' },
  cursor: string | null,
): Promise<ProcessedPage> {
  const { listings } = await connectors.portsOf(owner);
  if (listings === null) return { next: null, problem: 'no_lists' };
  const page = await readLists[kind](listings, spanOf(run), cursor);
  if (page.items.length > 0) await stageItems(database, run, owner.connectorId, kind, page.items);
  if (page.next !== null && page.next === cursor) return { next: null, problem: 'pages_do_not_advance' };
  return { next: page.next, problem: page.unreadable > 0 ? 'unreadable_items' : null };
}

/** Stores the fees and payouts of one page of the provider's balance. */
async function storeBalancePage(
  { database, connectors }: Pick<LookupDeps, 'database' | 'connectors'>,
  run: ReconciliationRun,
  { owner }: Step & { do: 'balance' },
  cursor: string | null,
): Promise<ProcessedPage> {
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

/**
 * Checks one batch of the due differences. Returns whether more are due now, some are due later, or none is.
 */
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
