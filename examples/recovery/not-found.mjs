/**
 * Row 4: 404. Check the id, the environment and the activation; the answer is the same for all of them on purpose.
 */
import { randomUUID } from 'node:crypto';
import { captureAccess, check, cp, createPayment, refusalOf, say, sdk, title } from './client.mjs';

title('The id: not one of this merchant and environment');
const unknown = await refusalOf(cp.payments.retrieve(randomUUID()));
say(`retrieve: ${unknown.name} ${unknown.code}`);
check(unknown instanceof sdk.NotFoundError, 'an unknown id should be 404');

title('The mode: a hosted payment has no card capture');
const hosted = await createPayment({ checkoutMode: 'hosted' });
const capture = await refusalOf(cp.payments.prepareCapture(hosted));
say(`prepareCapture: ${capture.name} ${capture.code}`);
check(capture instanceof sdk.NotFoundError, 'a hosted payment should be 404 here');
const payment = await cp.payments.retrieve(hosted);
say(
  `retrieve: ${payment.status}, environment ${payment.environment}: the payment is there, the endpoint is not its own.`,
);
check(payment.environment === 'sandbox', 'the environment should be the key’s');

title('The activation: creating a custom payment says whether custom mode is on for this environment');
const custom = await createPayment();
check((await captureAccess(custom)).capture.secret.length >= 16, 'capture should be enabled');
say('createOnce with checkoutMode custom made a payment: card capture is enabled for this key.');
