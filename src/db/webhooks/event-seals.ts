import { usualRetention } from '../server/leftovers.ts';
import type { EventSeal, HashedEvent } from '../../crypto/event-seal.ts';
import type { Tenant } from '../payments/payments.ts';
import type { Queryable } from '../server/database.ts';
import { type DueCondition, anyOf, anyRow } from '../server/due-work.ts';

/** The position up to which the events of a merchant are sealed. */
export interface SealHead {
  position: number;
  hash: string;
  /** When its last seal was made; null if there is none. */
  at: string | null;
}

const instant = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Returns the merchants and environments that follow the given one, in the order of their ids, at most
 * `limit`, and whether each has events beyond its last seal.
 */
export async function nextSealHeads(
  database: Queryable,
  after: Tenant | null,
  limit: number,
): Promise<(Tenant & { isDue: boolean })[]> {
  const { rows } = await database.query<Tenant & { isDue: boolean }>(
    // One probe of the index for each merchant: EXISTS alone may read all events at once.
    `SELECT h.merchant_id AS "merchantId", h.environment, coalesce((
       SELECT true FROM events e WHERE e.merchant_id = h.merchant_id AND e.environment = h.environment
         AND e.position > h.position ORDER BY e.position LIMIT 1), false) AS "isDue"
     FROM event_seal_heads h
     WHERE $1::uuid IS NULL OR (h.merchant_id, h.environment) > ($1::uuid, $2::text)
     ORDER BY h.merchant_id, h.environment LIMIT $3`,
    [after?.merchantId ?? null, after?.environment ?? null, limit],
  );
  return rows;
}

/**
 * Returns the condition that events of the first `limit` merchants are not sealed, or that there are more
 * merchants, which `nextSealHeads` reads part by part.
 */
export const sealsAreDue = (limit: number): DueCondition =>
  anyOf(
    anyRow(`event_seal_heads OFFSET ${limit}`),
    anyRow(`(SELECT * FROM event_seal_heads ORDER BY merchant_id, environment LIMIT ${limit}) h
      WHERE (SELECT true FROM events e WHERE e.merchant_id = h.merchant_id AND e.environment = h.environment
        AND e.position > h.position ORDER BY e.position LIMIT 1)`),
  );

/** Returns the head of a merchant's seals, locked until the commit; null: unknown merchant. */
export async function lockSealHead(transaction: Queryable, tenant: Tenant): Promise<SealHead | null> {
  const { rows } = await transaction.query<SealHead>(
    `SELECT position, encode(hash, 'hex') AS hash, ${instant('sealed_at')} AS at FROM event_seal_heads
     WHERE merchant_id = $1 AND environment = $2 FOR UPDATE`,
    [tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/** Returns the events after a position and up to another, in the order of the log, at most `limit`. */
export async function hashedEvents(
  database: Queryable,
  tenant: Tenant,
  { after, until = null, limit }: { after: number; until?: number | null; limit: number },
): Promise<HashedEvent[]> {
  const { rows } = await database.query<HashedEvent>(
    `SELECT id, position, payment_id AS "paymentId", sequence, state_seq AS "stateSeq", type,
       previous_status AS "previousStatus", data::text AS data,
       (extract(epoch FROM created_at) * 1000000)::bigint::text AS "createdAt"
     FROM events WHERE merchant_id = $1 AND environment = $2 AND position > $3
       AND ($4::bigint IS NULL OR position <= $4)
     ORDER BY position LIMIT $5`,
    [tenant.merchantId, tenant.environment, after, until, limit],
  );
  return rows;
}

/** Stores a seal and moves the head of its merchant to it. */
export async function insertSeal(
  transaction: Queryable,
  seal: EventSeal & { hash: string; signature: Buffer },
): Promise<void> {
  const { merchantId, environment, events } = seal;
  await transaction.query(
    `WITH sealed AS (
       INSERT INTO event_seals (merchant_id, environment, last_position, previous_hash, previous_at, ids, positions,
         instants, hashes, hash, signature, sealed_at)
       VALUES ($1, $2, $3, decode($4, 'hex'), $5, $6::text[], $7::bigint[], $8::text[],
         ARRAY(SELECT decode(h, 'hex') FROM unnest($9::text[]) WITH ORDINALITY AS of (h, n) ORDER BY n),
         decode($10, 'hex'), $11, $12))
     UPDATE event_seal_heads SET position = $3, hash = decode($10, 'hex'), sealed_at = $12
     WHERE merchant_id = $1 AND environment = $2`,
    [
      merchantId,
      environment,
      events.at(-1)?.position ?? 0,
      seal.previousHash,
      seal.previousAt,
      events.map(({ id }) => id),
      events.map(({ position }) => position),
      events.map(({ at }) => at),
      events.map(({ hash }) => hash),
      seal.hash,
      seal.signature,
      seal.at,
    ],
  );
}

/** A stored seal. */
export interface StoredSeal extends EventSeal {
  lastPosition: number;
  hash: string;
  signature: Buffer;
}

interface SealRow extends Omit<StoredSeal, 'events' | 'merchantId' | 'environment'> {
  ids: string[];
  positions: string[];
  instants: string[];
  hashes: string[];
}

/** Returns the seals of a merchant after a position, in their order, at most `limit`. */
export async function listSeals(
  database: Queryable,
  tenant: Tenant,
  after: number,
  limit: number,
): Promise<StoredSeal[]> {
  const { rows } = await database.query<SealRow>(
    `SELECT last_position AS "lastPosition", encode(previous_hash, 'hex') AS "previousHash",
       ${instant('previous_at')} AS "previousAt", ids, positions::text[] AS positions, instants,
       ARRAY(SELECT encode(h, 'hex') FROM unnest(hashes) WITH ORDINALITY AS of (h, n) ORDER BY n) AS hashes,
       encode(hash, 'hex') AS hash, signature, ${instant('sealed_at')} AS at
     FROM event_seals WHERE merchant_id = $1 AND environment = $2 AND last_position > $3
     ORDER BY last_position LIMIT $4`,
    [tenant.merchantId, tenant.environment, after, limit],
  );
  return rows.map(({ ids, positions, instants, hashes, ...row }) => ({
    ...row,
    merchantId: tenant.merchantId,
    environment: tenant.environment,
    events: ids.map((id, index) => ({
      id,
      position: Number(positions[index]),
      at: instants[index] ?? '',
      hash: hashes[index] ?? '',
    })),
  }));
}

/**
 * Returns the database's clock, and the instant before which events that are kept for `eventsDays` may be
 * deleted, in microseconds.
 */
export async function sealClock(
  database: Queryable,
  eventsDays: number = usualRetention.eventsDays,
): Promise<{ now: string; expiredBefore: number }> {
  const { rows } = await database.query<{ now: string; expiredBefore: number }>(
    `SELECT ${instant('now()')} AS now,
       (extract(epoch FROM now() - $1::int * interval '1 day') * 1000000)::bigint AS "expiredBefore"`,
    [eventsDays],
  );
  const [clock] = rows;
  if (!clock) throw new Error('PostgreSQL did not return its clock');
  return clock;
}
