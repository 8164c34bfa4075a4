/**
 * Row 4: 404. Check the id, the environment and the activation; the answer is the same for all of them on purpose.
 */
import { randomUUID } from 'node:crypto';
import {
  call,
  captureAccess,
  check,
  createPayment,
  prepareCapture,
  readPayment,
  say,
  title,
} from './client.mjs';

title('The id: not one of this merchant and environment');
const unknown = await call('GET', `/v1/payments/${randomUUID()}`);
say(`GET payment answered ${unknown.status} ${unknown.code}`);
check(unknown.status === 404, 'an unknown id should be 404');

title('The mode: a hosted payment has no card capture');
const hosted = await createPayment({ checkoutMode: 'hosted' });
const capture = await prepareCapture(hosted);
say(`POST capture answered ${capture.status} ${capture.code}`);
check(capture.status === 404, 'a hosted payment should be 404 here');
const payment = await readPayment(hosted);
say(
  `GET payment: ${payment.status}, environment ${payment.environment}: the payment is there, the endpoint is not its own.`,
);
check(payment.environment === 'sandbox', 'the environment should be the key’s');

title('The activation: creating a custom payment says whether custom mode is on for this environment');
const custom = await createPayment();
check((await captureAccess(custom)).secret.length >= 16, 'capture should be enabled');
say('POST /v1/payments with checkoutMode custom answered 201: card capture is enabled for this key.');
