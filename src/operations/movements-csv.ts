import { listMovements, type MovementPosition } from '../db/movements/movements.ts';
import type { Tenant } from '../db/payments/payments.ts';
import type { CursorPage } from '../db/server/cursor-page.ts';
import type { TenantReads } from '../db/server/tenant-reads.ts';
import { type MovementRecord, movementView } from '../domain/movement.ts';
import { csvOfRows } from './lists-csv.ts';

/** The order must never change: spreadsheets and importers rely on it. */
const columns = [
  'id',
  'type',
  'amountCents',
  'currency',
  'occurredAt',
  'bookedAt',
  'bookedOn',
  'paymentId',
  'refundId',
  'disputeId',
  'method',
  'providerReference',
  'followsFrom',
  'environment',
];

/** Rows that are read, and held in memory, at a time. */
const chunk = 500;

/**
 * Returns the movements that are booked on the days of a span, the last booked first, as parts of a CSV. Each
 * day is given as its start in UTC; `until` is the day after the last one.
 */
export async function* movementsCsv(
  lists: TenantReads,
  tenant: Tenant,
  { from, until }: { from: Date; until: Date },
): AsyncGenerator<string> {
  const filter = { type: null, paymentId: null, from, until };
  let after: MovementPosition | null = null;
  let header = true;
  do {
    const position: MovementPosition | null = after;
    const page: CursorPage<MovementRecord, MovementPosition> = await lists.read(tenant, (database) =>
      listMovements(database, tenant, filter, position, chunk),
    );
    yield csvOfRows(
      columns,
      page.rows.map((row) => ({ ...movementView(row) })),
      header,
    );
    header = false;
    after = page.next;
  } while (after !== null);
}
