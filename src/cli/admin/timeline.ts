import type { Command } from 'commander';
import { findTimelineRequests } from '../../db/server/api-requests.ts';
import { readArchive } from '../../db/payments/archive.ts';
import type { Database, Queryable } from '../../db/server/database.ts';
import {
  findTimelineEvents,
  loadPaymentHistory,
  loadTimelineDeliveries,
  type PaymentHistory,
} from '../../db/payments/payment-history.ts';
import { paymentView } from '../../domain/payment.ts';
import { paymentStates, stateAt } from '../../domain/payment-versions.ts';
import { timelineEntries } from '../../domain/timeline/entries.ts';
import { type TimelinePart, timelinePart, timelineParts } from '../../domain/timeline/parts.ts';
import { effectiveNow, waitingAt, waitingNow } from '../../domain/waiting-facts.ts';
import { problems } from '../problems.ts';
import { operate, OperatorError, uuidFlag, withCommonFlags } from './operator.ts';

interface PaymentFlag {
  payment: string;
  dataDir: string;
}

const ofPayment = (payment: Command, verb: string): Command =>
  withCommonFlags(
    payment.command(verb).requiredOption('--payment <id>', 'payment id', uuidFlag('--payment')),
  );

/**
 * Returns the result of `read` for a payment and its stored history; an archived one is read from the
 * archive. Throws `OperatorError` for an unknown one.
 */
export async function withHistory<T>(
  database: Database,
  paymentId: string,
  read: (history: PaymentHistory, database: Queryable) => Promise<T>,
): Promise<T> {
  const history = await loadPaymentHistory(database, paymentId);
  if (history) return read(history, database);
  return readArchive(database, async (archive) => {
    const archived = await loadPaymentHistory(archive, paymentId);
    if (!archived) throw new OperatorError(problems.noPayment(paymentId));
    return read(archived, archive);
  });
}

/**
 * `payment why|timeline`: the party that a payment waits for, and its timeline up to now or an earlier
 * instant, in the form of the API. docs/readings.md.
 */
export function readingCommands(payment: Command): void {
  ofPayment(payment, 'why').action(async (flags: PaymentFlag) =>
    operate(
      flags,
      ({ database, now }) =>
        withHistory(database, flags.payment, async (history) => waitingNow(history, new Date(now()))),
      'None: the payment is final.',
    ),
  );
  ofPayment(payment, 'timeline')
    .option('--at <instant>', 'as it was then, such as 2030-01-01T00:00:00Z', instantFlag)
    .option('--only <part>', `one part of it: ${timelineParts.join(', ')}`, partFlag)
    .action(async (flags: PaymentFlag & { at?: Date; only?: TimelinePart }) =>
      operate(flags, ({ database, now }) =>
        withHistory(database, flags.payment, (history, reads) =>
          timelineOf(history, reads, flags, new Date(now())),
        ),
      ),
    );
}

/** Returns what `timeline` prints. Throws `OperatorError` for an instant before the payment. */
async function timelineOf(
  history: PaymentHistory,
  database: Queryable,
  { at, only }: { at?: Date; only?: TimelinePart },
  now: Date,
) {
  const { id, merchantId, environment } = history.payment;
  const [events, deliveries, requests] = await Promise.all([
    findTimelineEvents(database, id),
    loadTimelineDeliveries(database, id),
    findTimelineRequests(database, { merchantId, environment }, id),
  ]);
  const instant = at !== undefined && at < now ? at : effectiveNow(history, now);
  const states = paymentStates(history.payment, history.versions);
  const state = stateAt(states, instant);
  if (!state) throw new OperatorError(problems.createdLater(instant.toISOString()));
  return {
    payment: paymentView(state.payment, null),
    waitingFor: waitingAt(state, states, history, instant),
    entries: timelineEntries({ ...history, states, events, deliveries, requests }, instant).filter(
      ({ kind }) => only === undefined || timelinePart(kind) === only,
    ),
  };
}

function partFlag(text: string): TimelinePart {
  const part = timelineParts.find((known) => known === text);
  if (part === undefined) throw new OperatorError(problems.oneOf('--only', timelineParts));
  return part;
}

function instantFlag(text: string): Date {
  const at = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(at.getTime())) {
    throw new OperatorError(problems.instant('--at'));
  }
  return at;
}
