/**
 * A lost answer of the creation: repeat with the same body and the same Idempotency-Key, never with a new one.
 */
import { randomUUID } from 'node:crypto';
import { call, check, orderBody, say, title } from './client.mjs';

title('The answer of POST /v1/payments is lost');
const key = randomUUID();
const body = orderBody();
const lost = await call('POST', '/v1/payments', body, key);
say('The first answer is taken as lost.');
const replay = await call('POST', '/v1/payments', body, key);
say(
  `The same request again: ${replay.status}, Idempotent-Replayed: ${replay.headers.get('idempotent-replayed')}`,
);
check(replay.data.id === lost.data.id, 'it should be the same payment');
check(replay.data.checkoutUrl === lost.data.checkoutUrl, 'it should be the same checkout');

const other = await call('POST', '/v1/payments', { ...body, amountCents: 2600 }, key);
say(`Another body under this key: ${other.status} ${other.code}`);
check(other.status === 409, 'a reused key should be refused');
