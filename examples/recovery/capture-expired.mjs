/**
 * Row 3: capture expired (410). Settle the existing attempt before creating a new payment.
 *
 * 410 says that the checkout is closed, not that nothing was charged. The sandbox clock spares the half hour.
 */
import {
  captureAccess,
  check,
  createPayment,
  fault,
  pay,
  prepareCapture,
  readPayment,
  readStatus,
  say,
  sendCard,
  simulate,
  title,
  waitForPayment,
} from './client.mjs';

title('Ten minutes have passed without an attempt: nothing to settle');
const idle = await createPayment();
await simulate(`payments/${idle}/advance-clock`, { bySeconds: 600 });
const late = await prepareCapture(idle);
say(`POST capture answered ${late.status} ${late.code}`);
check(late.status === 410, 'the access should be over');
const status = await readStatus(idle);
say(`GET status: ${status.status}, ${status.attemptsLeft} attempts left: no attempt was ever made.`);
check(status.status === 'open' && status.attemptsLeft === 5, 'there should be no attempt');
say(`A new payment is safe: ${await createPayment()}`);

title('The deadline passed while an attempt was out: settle it first');
const id = await createPayment();
const card = await sendCard(await captureAccess(id));
await fault('network', 'lateSuccess', id);
const unknown = await pay(id, card);
say(`POST pay answered ${unknown.status} ${unknown.code}: poll`);
check((await readStatus(id)).status === 'processing', 'the attempt should be out');
await simulate(`payments/${id}/advance-clock`, { bySeconds: 1800 });
const expired = await prepareCapture(id);
say(`Half an hour later POST capture answers ${expired.status} ${expired.code}`);
check(expired.status === 410, 'the checkout should be closed');
say(`GET payment: ${(await readPayment(id)).status}. No new payment yet: the order would be paid twice.`);
const paid = await waitForPayment(id, 'paid');
say(`GET payment: ${paid.status} at ${paid.paidAt}. Fulfil this one.`);
