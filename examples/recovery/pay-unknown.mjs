/**
 * Row 2: pay times out, or answers 409 or 503. Poll first: the attempt may be processing, or have charged.
 */
import {
  captureAccess,
  check,
  createPayment,
  fault,
  pay,
  pollStatus,
  readPayment,
  say,
  sendCard,
  title,
} from './client.mjs';

async function captured() {
  const id = await createPayment();
  return { id, card: await sendCard(await captureAccess(id)) };
}

title('503, and the card was charged: the answer of the network is lost');
const first = await captured();
await fault('network', 'lostResponse', first.id);
const lost = await pay(first.id, first.card);
say(`POST pay answered ${lost.status} ${lost.code}`);
check(lost.status === 503, 'the ordered fault should have been met');
check((await pollStatus(first.id)).status === 'paid', 'the charge should be found');
say(`GET payment: ${(await readPayment(first.id)).status}. Paying again would have been wrong.`);

title('503, and nothing was charged: the network cannot be reached');
const second = await captured();
await fault('network', 'error', second.id);
const refused = await pay(second.id, second.card);
say(`POST pay answered ${refused.status} ${refused.code}`);
check(refused.status === 503, 'the ordered fault should have been met');
const settled = await pollStatus(second.id);
check(settled.status === 'failed_retryable', 'the attempt should be over');
const retried = await pay(second.id, second.card);
say(`POST pay with the same token: ${retried.data?.status}`);
check(retried.data?.status === 'paid', 'a retryable failure may be tried again');

title('409: a second pay while the first one runs');
const third = await captured();
await fault('network', 'slow', third.id);
const running = pay(third.id, third.card);
await pollStatus(third.id, ({ status }) => status !== 'processing');
const second409 = await pay(third.id, third.card);
say(`POST pay answered ${second409.status} ${second409.code}`);
// 410 on a machine so slow that the first attempt has ended meanwhile: nothing is charged twice either way.
check([409, 410].includes(second409.status), 'the first attempt should hold the fence');
await running;
check((await pollStatus(third.id)).status === 'paid', 'polling should find it paid');
