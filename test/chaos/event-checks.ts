import type { Observations } from './observations.ts';
import type { EventRow, PaymentRow } from './rows.ts';
import { paymentEdges } from './status-edges.ts';
import type { Report } from './violation.ts';

/** Compares a payment's events with its statuses, and the received deliveries with its events. */
export function checkEvents(observations: Observations, payment: PaymentRow, report: Report): void {
  const events = observations.events.filter(({ paymentId }) => paymentId === payment.id);
  for (const [index, event] of events.entries()) {
    if (event.sequence !== index + 1) {
      report('I10', payment.id, `event ${event.sequence} in place ${index + 1}`);
    }
  }
  checkChanges(events, payment, report);
  // An event that was delivered before its commit was lost cannot be withdrawn.
  if (!observations.putBack.has(payment.id)) checkDeliveries(observations, events, payment, report);
}

/** This event reports what the network did, and no change of the payment. */
const unexpectedCapture = 'payment.unexpectedCapture';

/** Checks that every change of status has an event, and that every event has a change. */
function checkChanges(events: readonly EventRow[], payment: PaymentRow, report: Report): void {
  const { id } = payment;
  let status = 'pending';
  const changes = events.filter(({ type }) => type.startsWith('payment.') && type !== unexpectedCapture);
  for (const { type, previousStatus } of changes) {
    const to = type.replace('payment.', '');
    const from = previousStatus ?? '';
    // One change has no event: the deadline closed an action.
    const isSilent = status === 'requiresAction' && from === 'pending';
    if (from !== status && !isSilent) {
      report('I10', id, `event reports a change from ${from}, the last was to ${status}`);
    }
    if (!paymentEdges[from]?.includes(to)) {
      report('I10', id, `event reports a change from ${from} to ${to}`);
    }
    status = to;
  }
  const isSilentEnd = status === 'requiresAction' && payment.status === 'pending';
  if (status !== payment.status && !isSilentEnd) {
    report('I10', id, `the events end at ${status}, the payment is ${payment.status}`);
  }
}

function checkDeliveries(
  { received, erased }: Observations,
  events: readonly EventRow[],
  { id }: PaymentRow,
  report: Report,
): void {
  for (const event of events) {
    const came = received.filter((each) => each.id === event.id);
    if (came.length === 0) report('I10', id, `event ${event.id} was never delivered`);
    if (new Set(came.map(({ body }) => body)).size > 1 && !erased.has(id)) {
      report('I10', id, `event ${event.id} came with two bodies`);
    }
  }
  const known = new Set(events.map((event) => event.id));
  for (const { id: eventId, body, valid } of received) {
    if (!body.includes(id)) continue;
    if (!valid) report('I10', id, `delivery ${eventId} has a wrong signature`);
    if (!known.has(eventId)) {
      report('I11', id, `delivery ${eventId} reports an event that was not committed`);
    }
  }
}
