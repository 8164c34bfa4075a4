/**
 * Row 3: capture expired (410). Settle the existing attempt before creating a new payment.
 *
 * 410 says that the checkout is closed, not that nothing was charged. The sandbox clock spares the half hour.
 */
import {
  captureAccess,
  captured,
  check,
  cp,
  createPayment,
  fault,
  refusalOf,
  say,
  title,
} from './client.mjs';

title('Ten minutes have passed without an attempt: nothing to settle');
const idle = await createPayment();
await cp.sandbox.advanceClock(idle, { bySeconds: 600 });
const late = await refusalOf(cp.payments.prepareCapture(idle));
say(`prepareCapture: ${late.name} ${late.code}`);
check(late.status === 410, 'the access should be over');
const status = await cp.payments.status(idle);
say(`status: ${status.status}, ${status.attemptsLeft} attempts left: no attempt was ever made.`);
check(status.status === 'open' && status.attemptsLeft === 5, 'there should be no attempt');
const next = await createPayment();
await captureAccess(next);
say(`A new payment is safe: ${next}`);

title('The deadline passed while an attempt was out: settle it first');
const { id, card } = await captured();
await fault('network', 'lateSuccess', id);
const unknown = await cp.payments.payAndWait(id, card, { timeoutMs: 2_000 });
say(`payAndWait: ${unknown.status}, the checkout is ${unknown.checkoutStatus}`);
check(unknown.status === 'unknown', 'the attempt should be out');
await cp.sandbox.advanceClock(id, { bySeconds: 1800 });
const expired = await refusalOf(cp.payments.prepareCapture(id));
say(`Half an hour later prepareCapture: ${expired.name} ${expired.code}`);
check(expired.status === 410, 'the checkout should be closed');
say('No new payment yet: the order could be paid twice. recover waits for the attempt.');
const outcome = await cp.payments.recover(id);
check(outcome.status === 'paid', 'the late success should be found');
say(`recover: ${outcome.status} at ${outcome.payment.paidAt}. Fulfill this one.`);
