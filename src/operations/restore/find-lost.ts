import {
  type KnownPayment,
  knownPayments,
  knownRefunds,
  listOpenPayments,
  listOwners,
} from '../../db/payments/known-payments.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { Database } from '../../db/server/database.ts';
import type { Connectors } from '../../providers/connectors.ts';
import type { ListedCharge, ListedPage, ListedRefund } from '../../providers/listings.ts';
import type { KnownRuns } from '../../temporal/clients/known-runs.ts';

/** The most merchants and environments, pages of one list, and listed items of each kind of one search. */
const maxOwners = 10_000;
const maxPages = 2_000;
export const maxNamed = 10_000;
/** Open payments of one read. */
const openPageSize = 1_000;
/** A captured charge whose attempt has been open for longer is not in progress, in seconds. */
const underWaySeconds = 60;

export interface RestoreDeps {
  database: Database;
  connectors: Pick<Connectors, 'portsOf' | 'simulated'>;
  runs: KnownRuns;
  now: () => number;
}

/** A merchant and environment, and the network that serves it. */
export type Owner = Tenant & { connectorId: string | null };

/** A payment that lost some or all of its rows. */
export interface LostPayment {
  id: string;
  /** Null: only Temporal knows it. */
  owner: Owner | null;
  charges: ListedCharge[];
}

export interface LostRefund {
  id: string;
  /** Null: only Temporal knows it. */
  listed: { refund: ListedRefund; owner: Owner } | null;
}

/** The items that Temporal and the networks know and the rows do not, by id. */
export interface Lost {
  /** Payments whose rows are older than their run or their charges. */
  older: Map<string, LostPayment>;
  payments: Map<string, LostPayment>;
  refunds: Map<string, LostRefund>;
  /** Keys of charges that name no restorable payment. */
  orphanCharges: Set<string>;
  openWithoutWorkflow: string[];
  /** The reasons why the search is not complete, a line each; empty: it is complete. */
  problems: string[];
}

/**
 * Returns what the rows lack of Temporal's runs and of each network's charges and refunds since an instant.
 * Changes nothing. Throws when PostgreSQL or Temporal does not answer; a network that does not answer is one
 * of `problems`.
 */
export async function findLost(deps: RestoreDeps, since: Date): Promise<Lost> {
  const lost: Lost = {
    older: new Map(),
    payments: new Map(),
    refunds: new Map(),
    orphanCharges: new Set(),
    openWithoutWorkflow: [],
    problems: [],
  };
  await compareRuns(deps, since, lost);
  const owners = await listOwners(deps.database, deps.connectors.simulated, maxOwners + 1);
  if (owners.length > maxOwners) lost.problems.push(`more than ${maxOwners} merchants: not all compared`);
  for (const owner of owners.slice(0, maxOwners)) {
    await compareNetwork(deps, owner, since, lost).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : 'unknown error';
      lost.problems.push(`${owner.merchantId} ${owner.environment}: ${reason}`);
    });
  }
  await findWithoutWorkflow(deps, lost);
  return lost;
}

/**
 * Adds the payments and refunds that Temporal knows since an instant, and whose rows are missing or older.
 */
async function compareRuns({ database, runs }: RestoreDeps, since: Date, lost: Lost): Promise<void> {
  for await (const page of runs.listSince(since)) {
    const [payments, refunds] = (['payment', 'refund'] as const).map((kind) =>
      page.filter((run) => run.kind === kind && isUuid(run.id)),
    );
    const rows = await knownPayments(
      database,
      (payments ?? []).map(({ id }) => id),
    );
    for (const { id, hasCompleted } of payments ?? []) {
      if (!rows.has(id)) entryOf(lost.payments, id);
      else if (hasCompleted && rows.get(id)?.isFinal === false) entryOf(lost.older, id);
    }
    const known = await knownRefunds(
      database,
      (refunds ?? []).map(({ id }) => id),
    );
    for (const { id } of refunds ?? []) if (!known.has(id)) lost.refunds.set(id, { id, listed: null });
  }
}

/** Adds the payments and refunds that an owner's network lists since an instant and the rows do not have. */
async function compareNetwork(deps: RestoreDeps, owner: Owner, since: Date, lost: Lost): Promise<void> {
  const { listings } = await deps.connectors.portsOf(owner);
  if (listings === null) throw new Error('its network has no lists');
  const span = { merchantId: owner.merchantId, fromMs: since.getTime(), toMs: deps.now() + 60_000 };
  await eachPage(
    (cursor) => listings.listCharges(span, cursor),
    (charges) => compareCharges(deps, owner, charges, lost),
    owner,
    lost,
  );
  await eachPage(
    (cursor) => listings.listRefunds(span, cursor),
    (refunds) => compareRefunds(deps, owner, refunds, lost),
    owner,
    lost,
  );
}

/** Reads a network's list page by page and passes each page to `use`. */
async function eachPage<Item>(
  read: (cursor: string | null) => Promise<ListedPage<Item>>,
  use: (items: Item[]) => Promise<void>,
  owner: Owner,
  lost: Lost,
): Promise<void> {
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const listed: ListedPage<Item> = await read(cursor);
    await use(listed.items);
    if (listed.unreadable > 0) {
      lost.problems.push(`${owner.merchantId} ${owner.environment}: the network lists unreadable objects`);
    }
    if (listed.next === null) return;
    if (listed.next === cursor) throw new Error('the pages of the network do not advance');
    cursor = listed.next;
  }
  throw new Error('the network lists too many pages: give a later --since');
}

async function compareCharges(
  { database }: RestoreDeps,
  owner: Owner,
  charges: readonly ListedCharge[],
  lost: Lost,
): Promise<void> {
  const rows = await knownPayments(database, charges.map(({ paymentId }) => paymentId).filter(isUuid));
  for (const charge of charges) {
    const row = rows.get(charge.paymentId);
    const isForeign = row !== undefined && row.merchantId !== owner.merchantId;
    const isNotOurs = !isUuid(charge.paymentId) || attemptNoOf(charge) === null || isForeign;
    const isUsable = charge.currency === 'USD' && charge.status !== 'unreadable';
    if (isNotOurs || (row === undefined && !isUsable)) lost.orphanCharges.add(charge.key);
    else if (row === undefined || isBehind(row, charge)) {
      const entry = entryOf(row === undefined ? lost.payments : lost.older, charge.paymentId);
      entry.owner = owner;
      entry.charges.push(charge);
    }
  }
}

/** Returns whether the rows lack a charge's attempt, or that it took the money. */
function isBehind(row: KnownPayment, charge: ListedCharge): boolean {
  const attempt = row.attempts.find(({ attemptNo }) => attemptNo === attemptNoOf(charge));
  if (attempt === undefined) return !row.isFinal;
  return charge.status === 'captured' && !row.isPaid && (attempt.openSeconds ?? 0) > underWaySeconds;
}

async function compareRefunds(
  { database }: RestoreDeps,
  owner: Owner,
  refunds: readonly ListedRefund[],
  lost: Lost,
): Promise<void> {
  // Refunds without our key were made at the network; their own sweep reads them.
  const ours = refunds.flatMap((refund) =>
    refund.key !== null && isUuid(refund.key) ? [{ id: refund.key, refund }] : [],
  );
  const known = await knownRefunds(
    database,
    ours.map(({ id }) => id),
  );
  const paymentIds = ours.flatMap(({ refund: { paymentId } }) => (paymentId === null ? [] : [paymentId]));
  const payments = await knownPayments(database, paymentIds.filter(isUuid));
  for (const { id, refund } of ours) {
    const row = payments.get(refund.paymentId ?? '');
    // The metadata of an object at a merchant's account can name any payment, also another merchant's.
    const isForeign = row !== undefined && row.merchantId !== owner.merchantId;
    if (!known.has(id) && !isForeign) lost.refunds.set(id, { id, listed: { refund, owner } });
  }
}

/** Adds the open payments that have no open run in Temporal, up to `maxNamed`. */
async function findWithoutWorkflow({ database, runs }: RestoreDeps, lost: Lost): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  while (lost.openWithoutWorkflow.length < maxNamed) {
    const ids = await listOpenPayments(database, after, openPageSize);
    const open = await runs.haveOpenRun(ids);
    lost.openWithoutWorkflow.push(...ids.filter((id) => !open.has(id)));
    if (ids.length < openPageSize) return;
    after = ids.at(-1) ?? after;
  }
}

/** Returns the entry of a payment, and creates it if there is none. */
function entryOf(entries: Map<string, LostPayment>, id: string): LostPayment {
  const entry = entries.get(id) ?? { id, owner: null, charges: [] };
  entries.set(id, entry);
  return entry;
}

/** Returns the attempt number in a charge's key; null: it has none. Pure. */
export const attemptNoOf = ({ key, paymentId }: Pick<ListedCharge, 'key' | 'paymentId'>): number | null => {
  const [, number] = key.startsWith(`${paymentId}:`) ? (/:([1-9][0-9]{0,5})$/.exec(key) ?? []) : [];
  return number === undefined ? null : Number(number);
};

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
