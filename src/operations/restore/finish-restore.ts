import { setTimeout as sleep } from 'node:timers/promises';
import { scheduleOpenPayments } from '../../db/payments/payment-checks.ts';
import { listUnpaid } from '../../db/payments/restored-payments.ts';
import { restoreRefund } from '../../db/refunds/restored-refunds.ts';
import { inTransaction } from '../../db/server/database.ts';
import { endHold, holdWrites } from '../../db/server/restore-watch.ts';
import type { By } from '../../domain/audit.ts';
import { type Lost, type LostRefund, findLost } from './find-lost.ts';
import { NotRestorable, restoreAttempts, restorePayment, type WriteDeps } from './restore-payment.ts';

/** Pause between two checks whether payments are paid, in ms. */
const pollMs = 500;

/** An item that could not be restored, and the reason. */
interface Failed {
  id: string;
  reason: string;
}

/** The result of `admin restore finish`. */
export interface FinishedRestore {
  since: string;
  restoredPayments: string[];
  restoredRefunds: string[];
  /** Payments that had older rows and whose attempts were restored. */
  resumedPayments: string[];
  /** The fields of each payment that no side knows. */
  notKnown: { paymentId: string; fields: string[] }[];
  /** Items that no run of this command can restore. */
  lost: Failed[];
  /** Items that the next run of this command tries again. */
  failed: Failed[];
  /** Whether writes are accepted again. */
  ended: boolean;
}

/**
 * Restores the payments and refunds that Temporal and the networks know and the rows do not, under the same
 * ids, and schedules a check of every open payment. Then accepts writes again, unless something must be tried
 * again. May be repeated and interrupted: an item that has a row is not written twice. Needs a worker, which
 * reads the outcomes from the network. ADR 0062.
 */
export async function finishRestore(
  deps: WriteDeps,
  { since, waitMs, by }: { since: Date; waitMs: number; by: By },
): Promise<FinishedRestore> {
  const { database } = deps;
  await holdWrites(database, { lostSince: since, detail: 'finishing' });
  const found = await findLost(deps, since);
  const result: FinishedRestore = {
    since: since.toISOString(),
    restoredPayments: [],
    restoredRefunds: [],
    resumedPayments: [],
    notKnown: [],
    lost: [...found.orphanCharges].map((id) => ({ id, reason: 'the charge names no payment of ours' })),
    failed: found.problems.map((reason) => ({ id: '', reason })),
    ended: false,
  };
  await restorePayments(deps, found, result);
  await awaitPaid(deps, found, waitMs, result);
  for (const refund of found.refunds.values()) await restoreLostRefund(deps, refund, by, result);
  while (await scheduleOpenPayments(database, new Date(deps.now()), 1_000));
  if (result.failed.length === 0) {
    await endHold(database);
    result.ended = true;
  }
  return result;
}

/**
 * Restores the payments without rows, and the attempts of payments with older rows; adds both to the result.
 */
async function restorePayments(deps: WriteDeps, found: Lost, result: FinishedRestore): Promise<void> {
  for (const payment of found.payments.values()) {
    try {
      const fields = await restorePayment(deps, payment);
      result.restoredPayments.push(payment.id);
      result.notKnown.push({ paymentId: payment.id, fields });
    } catch (error) {
      addFailure(payment.id, error, result);
    }
  }
  for (const payment of found.older.values()) {
    try {
      await restoreAttempts(deps, payment);
      result.resumedPayments.push(payment.id);
    } catch (error) {
      addFailure(payment.id, error, result);
    }
  }
}

/**
 * Adds a failure to the result. A violated constraint (SQLSTATE 23…) would fail each time: the item is lost.
 */
function addFailure(id: string, error: unknown, result: FinishedRestore): void {
  const reason = error instanceof Error ? error.message : 'unknown error';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isLost = error instanceof NotRestorable || code.startsWith('23');
  (isLost ? result.lost : result.failed).push({ id, reason });
}

/**
 * Waits until the worker has recorded the captured charges, for `waitMs` at most. Adds the unpaid ones as
 * failed.
 */
async function awaitPaid(
  { database }: WriteDeps,
  found: Lost,
  waitMs: number,
  result: FinishedRestore,
): Promise<void> {
  const written = new Set([...result.restoredPayments, ...result.resumedPayments]);
  const captured = [...found.payments.values(), ...found.older.values()]
    .filter(({ id, charges }) => written.has(id) && charges.some(({ status }) => status === 'captured'))
    .map(({ id }) => id);
  const endsAt = performance.now() + waitMs;
  let unpaid = await listUnpaid(database, captured);
  while (unpaid.length > 0 && performance.now() < endsAt) {
    await sleep(pollMs);
    unpaid = await listUnpaid(database, captured);
  }
  for (const id of unpaid) {
    const reason = 'it is captured at the network and not paid here yet: does a worker run?';
    result.failed.push({ id, reason });
  }
}

/** Restores one refund and adds it, or the reason why it was not restored, to the result. */
async function restoreLostRefund(
  { database }: WriteDeps,
  { id, listed }: LostRefund,
  by: By,
  result: FinishedRestore,
): Promise<void> {
  const { paymentId = null, status = 'unreadable' } = listed?.refund ?? {};
  if (listed === null || paymentId === null || status === 'unreadable') {
    result.lost.push({ id, reason: 'the network does not know this refund, or not its payment' });
    return;
  }
  const { amountCents, createdAtMs } = listed.refund;
  const { owner } = listed;
  const refund = { id, paymentId, amountCents, status, owner, createdAt: new Date(createdAtMs) };
  try {
    const written = await inTransaction(database, (transaction) => restoreRefund(transaction, refund, by));
    if (written === 'written') result.restoredRefunds.push(id);
    else if (written !== 'known') result.failed.push({ id, reason: written });
  } catch (error) {
    addFailure(id, error, result);
  }
}
