/**
 * Row 1: capture timeout, or no token from the vault. Do not pay or capture again blindly; keep the payment.
 *
 * Nothing can have been charged: only `pay` charges. So look at the same payment, prepare again (the same access comes
 * back) and send the card again.
 */
import {
  captureAccess,
  check,
  createPayment,
  fault,
  pay,
  prepareCapture,
  readStatus,
  say,
  sendCard,
  title,
} from './client.mjs';

title('Capture cannot be prepared: the vault does not answer the service');
const id = await createPayment();
await fault('vault', 'timeout', id);
const failed = await prepareCapture(id);
say(
  `POST capture answered ${failed.status} ${failed.code}, Retry-After ${failed.headers.get('retry-after')} s`,
);
check(failed.status === 503, 'the ordered fault should have been met');

say('The payment is kept: no new one, no pay.');
const status = await readStatus(id);
say(`GET status: ${status.status}, ${status.attemptsLeft} attempts left`);
check(status.status === 'open' && status.attemptsLeft === 5, 'nothing should have been attempted');

title('The same payment again: prepare, and a card that gets no answer');
const capture = await captureAccess(id);
// The answer is lost on its way: the token it held was never charged and is never used.
await sendCard(capture);
say('The token of the first send is taken as lost.');
const again = await captureAccess(id);
check(again.secret === capture.secret, 'the same access should come back');
check(again.expiresAt === capture.expiresAt, 'the access should not have been extended');
say('POST capture again: the same access, not extended.');
const card = await sendCard(again);
const paid = await pay(id, card);
say(`POST pay: ${paid.data?.status}`);
check(paid.data?.status === 'paid', 'the payment should be paid');
