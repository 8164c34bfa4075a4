/**
 * A lost answer of the creation: repeat with the same key and parameters, never with a new key. `createOnce`
 * derives the key from the id of the order, so that a new process repeats the same call.
 */
import { check, cp, order, refusalOf, say, sdk, title } from './client.mjs';

title('The answer of the creation is lost');
const params = order();
const lost = await cp.payments.createOnce(params.reference, params);
say('The first answer is taken as lost.');
const again = await cp.payments.createOnce(params.reference, params);
say(`createOnce again: ${again.id}`);
check(again.id === lost.id, 'it should be the same payment');
check(again.checkoutUrl === lost.checkoutUrl, 'it should be the same checkout');

const other = await refusalOf(cp.payments.createOnce(params.reference, { ...params, amountCents: 2600 }));
say(`Another amount under this key: ${other.name} ${other.code}`);
check(other instanceof sdk.ConflictError, 'a reused key should be refused');
