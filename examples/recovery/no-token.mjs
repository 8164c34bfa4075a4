/**
 * Row 1: capture timeout, or no token from the vault. Do not pay or capture again blindly; keep the payment.
 *
 * Nothing can have been charged: only `pay` charges. So look at the same payment, prepare again (the same access comes
 * back) and send the card again.
 */
import {
  captureAccess,
  check,
  cp,
  createPayment,
  fault,
  refusalOf,
  say,
  sendCard,
  title,
} from './client.mjs';

title('Capture cannot be prepared: the vault does not answer the service');
const id = await createPayment();
await fault('vault', 'timeout', id);
const failed = await refusalOf(cp.payments.prepareCapture(id));
say(`prepareCapture: ${failed.name} ${failed.code}, wait ${failed.retryAfterSeconds} s`);
check(failed.status === 503, 'the ordered fault should have been met');

say('The payment is kept: no new one, no pay.');
const status = await cp.payments.status(id);
say(`status: ${status.status}, ${status.attemptsLeft} attempts left`);
check(status.status === 'open' && status.attemptsLeft === 5, 'nothing should have been attempted');

title('The same payment again: prepare, and a card that gets no answer');
const access = await captureAccess(id);
// The answer is treated as lost: the token in it is never used and never charged.
await sendCard(access);
say('The token of the first send is taken as lost.');
const again = await captureAccess(id);
check(again.capture.secret === access.capture.secret, 'the same access should come back');
check(again.capture.expiresAt === access.capture.expiresAt, 'the access should not have been extended');
say('prepareCapture again: the same access, not extended.');
const outcome = await cp.payments.payAndWait(id, await sendCard(again));
say(`payAndWait: ${outcome.status}`);
check(outcome.status === 'paid', 'the payment should be paid');
