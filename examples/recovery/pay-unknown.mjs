/**
 * Row 2: pay times out, or answers 409 or 503. Poll first: the attempt may be processing, or have charged.
 * `payAndWait` does that; `pay` alone shows each answer.
 */
import { captured, check, cp, fault, refusalOf, say, title } from './client.mjs';

title('503, and the card was charged: the answer of the network is lost');
const first = await captured();
await fault('network', 'lostResponse', first.id);
const lost = await refusalOf(cp.payments.pay(first.id, first.card));
say(`pay: ${lost.name} ${lost.code}, next ${lost.recovery}`);
check(lost.status === 503, 'the ordered fault should have been met');
const found = await cp.payments.recover(first.id);
say(`recover: ${found.status}. Paying again would have been wrong.`);
check(found.status === 'paid', 'the charge should be found');

title('503, and nothing was charged: the network cannot be reached');
const second = await captured();
await fault('network', 'error', second.id);
const outcome = await cp.payments.payAndWait(second.id, second.card);
say(`payAndWait: ${outcome.status}`);
check(['declined', 'paid'].includes(outcome.status), 'the attempt should be over');
const retried = outcome.status === 'paid' ? outcome : await cp.payments.payAndWait(second.id, second.card);
say(`payAndWait with the same token: ${retried.status}`);
check(retried.status === 'paid', 'a retryable failure may be tried again');

title('409: a second pay while the first one runs');
const third = await captured();
await fault('network', 'slow', third.id);
const both = await Promise.all([
  cp.payments.payAndWait(third.id, third.card),
  cp.payments.payAndWait(third.id, third.card),
]);
say(`payAndWait, twice at once: ${both.map(({ status }) => status).join(', ')}`);
check(
  both.every(({ status }) => status === 'paid'),
  'both should find the one charge',
);
