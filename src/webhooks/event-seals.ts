import { eventHash, type EventSeal, sealHash } from '../crypto/event-seal.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { isSignedBy } from '../crypto/signing.ts';
import type { Tenant } from '../db/payments/payments.ts';
import { erasedEvents } from '../db/payments/erase-customer.ts';
import { findChainKey, loadChainKey } from '../db/server/chain-key.ts';
import { type Database, inTransaction, type Queryable } from '../db/server/database.ts';
import {
  hashedEvents,
  insertSeal,
  listSeals,
  lockSealHead,
  sealClock,
  type StoredSeal,
} from '../db/webhooks/event-seals.ts';
import { genesisHash } from '../domain/audit.ts';

/** Events of one seal, and seals that are read at a time. */
const eventsOfSeal = 500;
const sealsAtOnce = 20;

interface SealDeps {
  database: Database;
  keyring: Keyring;
}

/**
 * Seals the events of a merchant that no seal contains yet, at most 500: the hash of each, signed together.
 * Returns how many it sealed. Events become visible in their order (ADR 0009), so that none is left out. ADR
 * 0066.
 */
export function sealEvents({ database, keyring }: SealDeps, tenant: Tenant): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const head = await lockSealHead(transaction, tenant);
    if (!head) return 0;
    const events = await hashedEvents(transaction, tenant, { after: head.position, limit: eventsOfSeal });
    if (events.length === 0) return 0;
    const { now } = await sealClock(transaction);
    const seal: EventSeal = {
      ...tenant,
      previousHash: head.hash,
      previousAt: head.at,
      events: events.map((event) => ({
        id: event.id,
        position: event.position,
        at: event.createdAt,
        hash: eventHash(tenant, event),
      })),
      at: now,
    };
    const hash = sealHash(seal);
    const key = await loadChainKey(transaction, keyring);
    await insertSeal(transaction, { ...seal, hash, signature: key.sign('event seal', hash) });
    return events.length;
  });
}

/** The result for a merchant's events in one environment. `wrong`: the first fault, as text. */
export interface VerifiedEvents {
  events: number;
  seals: number;
  wrong: string | null;
}

/**
 * Compares the events of a merchant with their seals, and returns the result. A fault names the event that
 * was changed, added or is missing, or the seal that is missing or not signed. Events and seals past their
 * retention may be absent.
 */
export async function verifyEvents(
  { database, keyring, eventsDays }: SealDeps & { eventsDays?: number },
  tenant: Tenant,
): Promise<VerifiedEvents> {
  const [key, { expiredBefore }, head] = await Promise.all([
    findChainKey(database, keyring),
    sealClock(database, eventsDays),
    inTransaction(database, (transaction) => lockSealHead(transaction, tenant)),
  ]);
  const found: VerifiedEvents = { events: 0, seals: 0, wrong: null };
  const wrong = (text: string): VerifiedEvents => ({ ...found, wrong: text });
  const source = { database, publicKey: key?.publicKey ?? null };
  let before: StoredSeal | null = null;
  for (;;) {
    const seals: StoredSeal[] = await listSeals(database, tenant, before?.lastPosition ?? 0, sealsAtOnce);
    for (const seal of seals) {
      const fault = sealFault(seal, before, source.publicKey, expiredBefore);
      if (fault !== null) return wrong(fault);
      const { count, changed } = await compareEvents(source, tenant, seal, before, expiredBefore);
      if (changed !== null) return wrong(changed);
      found.events += count;
      found.seals += 1;
      before = seal;
    }
    if (seals.length < sealsAtOnce) break;
  }
  const last = before?.lastPosition ?? 0;
  const isCut =
    head !== null && head.position > last && (before !== null || !isExpired(head.at, expiredBefore));
  return isCut ? wrong(`its seals end at position ${last}, but position ${head.position} was sealed`) : found;
}

const isExpired = (at: string | null, expiredBefore: number): boolean =>
  at !== null && Date.parse(at) * 1_000 < expiredBefore;

/** Returns the fault of a seal; null: it has none. */
function sealFault(
  seal: StoredSeal,
  before: StoredSeal | null,
  publicKey: Buffer | null,
  expiredBefore: number,
): string | null {
  const place = `the seal up to position ${seal.lastPosition}`;
  if (sealHash(seal) !== seal.hash) return `${place} was changed`;
  if (publicKey === null || !isSignedBy(publicKey, 'event seal', seal.hash, seal.signature)) {
    return `${place} is not signed by the key of this service`;
  }
  const follows =
    before === null
      ? seal.previousHash === genesisHash || isExpired(seal.previousAt, expiredBefore)
      : seal.previousHash === before.hash;
  return follows ? null : `a seal is missing before ${place}`;
}

/** Returns whether an event has this hash because its customer was erased. */
const isErasure = (
  publicKey: Buffer | null,
  hash: string,
  erased: { hash: string; signature: Buffer } | undefined,
): boolean =>
  publicKey !== null &&
  erased?.hash === hash &&
  isSignedBy(publicKey, 'erased event', hash, erased.signature);

/** Compares the events of one seal with the rows. Returns their number, and the first fault or null. */
async function compareEvents(
  { database, publicKey }: { database: Queryable; publicKey: Buffer | null },
  tenant: Tenant,
  seal: StoredSeal,
  before: StoredSeal | null,
  expiredBefore: number,
): Promise<{ count: number; changed: string | null }> {
  const after = before?.lastPosition ?? (seal.events[0]?.position ?? 1) - 1;
  // One more than was sealed, so that an added event shows.
  const limit = seal.events.length + 1;
  const rows = await hashedEvents(database, tenant, { after, until: seal.lastPosition, limit });
  const sealed = new Map(seal.events.map((event) => [event.id, event]));
  const erased = await erasedEvents(database, [...sealed.keys()]);
  for (const row of rows) {
    const known = sealed.get(row.id);
    if (!known) return { count: 0, changed: `event ${row.id} was added to what is sealed` };
    const hash = eventHash(tenant, row);
    if (hash !== known.hash && !isErasure(publicKey, hash, erased.get(row.id))) {
      return { count: 0, changed: `event ${row.id} was changed after it was sealed` };
    }
    sealed.delete(row.id);
  }
  const missing = [...sealed.values()].find(({ at }) => Number(at) >= expiredBefore);
  return { count: rows.length, changed: missing ? `event ${missing.id} is missing` : null };
}
