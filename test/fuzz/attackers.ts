import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { publicBounds } from '../../src/api/app.ts';
import type { Random } from '../support/harness/random.ts';
import { type Shop, validCreate } from '../support/shop.ts';
import { open, readAnswers, requestBytes } from './connection.ts';
import { type LargeBody, sendLargeBody } from './large-bodies.ts';

/** The target of the attacks, and the receiver of the results. */
export interface Target {
  /** The API, and a merchant's backend for it. */
  shop: Shop;
  paymentId: string;
  largeBodies: readonly LargeBody[];
  random: Random;
  /** Counts one outcome; `wrong` names its fault. */
  saw: (outcome: string, wrong?: string | null) => void;
}

/** Number of concurrent connections that never read, and how long each is held. */
const silentReaders = 24;
const silenceMs = 20_000;
const pauseMs = 5;
/** Pause between two attacks of a kind, because they run beside the requests, not in place of them. */
const betweenMs = 100;

/**
 * Attacks the connections of an API beside other requests until `isOver`. Each kind runs in its own loops, at
 * least once.
 */
export async function attack(target: Target, isOver: () => boolean): Promise<void> {
  const repeat = async (kind: (target: Target, isOver: () => boolean) => Promise<void>): Promise<void> => {
    do {
      await kind(target, isOver).catch((error: unknown) => target.saw(kind.name, String(error)));
      await sleep(isOver() ? 0 : betweenMs);
    } while (!isOver());
  };
  const kinds = [slowReader, pipeline, closeEarly, floodPipeline, largeBody];
  await Promise.all([...kinds, ...Array.from({ length: silentReaders }, () => neverRead)].map(repeat));
}

const authorized = ({ shop }: Target): Record<string, string> => ({ authorization: `Bearer ${shop.key}` });

/** Sends as many requests for the largest answer as may wait, and reads no byte. */
async function neverRead({ shop, saw }: Target, isOver: () => boolean): Promise<void> {
  const socket = (await open(shop.baseUrl)).pause();
  const request = requestBytes('GET', '/openapi.json', {});
  socket.write(Buffer.concat(Array.from({ length: publicBounds.maxUnanswered }, () => request)));
  const end = performance.now() + silenceMs;
  while (!isOver() && performance.now() < end) await sleep(betweenMs);
  saw('silent reader');
  socket.destroy();
}

/** Reads a large answer piece by piece. It must arrive completely, however long it takes. */
async function slowReader(target: Target): Promise<void> {
  const socket = await open(target.shop.baseUrl);
  socket.write(requestBytes('GET', '/openapi.json', {}));
  const [answer] = await readAnswers(socket, 1, () => sleep(pauseMs));
  const whole = answer?.status === 200 && answer.body.endsWith('}');
  target.saw(`slow reader ${answer?.status ?? 'cut'}`, whole ? null : 'the answer did not come whole');
  socket.destroy();
}

/** Sends mixed requests in one piece. Each must be answered, in the order of sending. */
async function pipeline(target: Target): Promise<void> {
  const { shop, paymentId, random } = target;
  const key = authorized(target);
  const json = { ...key, 'content-type': 'application/json' };
  const kinds: { bytes: Buffer; status: number }[] = [
    { bytes: requestBytes('GET', `/v1/payments/${paymentId}`, key), status: 200 },
    { bytes: requestBytes('GET', '/v1/payments?perPage=100', key), status: 200 },
    { bytes: requestBytes('GET', '/v1/payments?page=0', key), status: 400 },
    { bytes: requestBytes('GET', '/v1/events', {}), status: 401 },
    { bytes: requestBytes('QUERY', '/v1/payments', key), status: 404 },
    { bytes: requestBytes('PUT', '/v1/payments', json, '{}'), status: 404 },
    { bytes: requestBytes('GET', '/openapi.json', {}), status: 200 },
    { bytes: requestBytes('POST', '/v1/payments', newKey(json, random), createBody), status: 201 },
  ];
  const sent = Array.from({ length: publicBounds.maxUnanswered }, () => random.pick(kinds));
  const socket = await open(shop.baseUrl);
  socket.write(Buffer.concat(sent.map(({ bytes }) => bytes)));
  const answers = await readAnswers(socket, sent.length);
  socket.destroy();
  const [got, expected] = [answers, sent].map((list) => list.map(({ status }) => status).join(' '));
  target.saw(`pipeline of ${answers.length}`, got === expected ? null : `${got} instead of ${expected}`);
}

/** Sends far more requests than may wait. The connection is cut, and other callers are not affected. */
async function floodPipeline(target: Target): Promise<void> {
  const socket = (await open(target.shop.baseUrl)).resume();
  const request = requestBytes('GET', `/v1/payments/${target.paymentId}`, authorized(target));
  // Not once(), because a cut connection may report a reset first.
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write(Buffer.concat(Array.from({ length: 200 }, () => request)));
  await ended;
  target.saw('flood of 200 cut');
}

/** Disconnects during a request or its answer, then sends the same request again. */
async function closeEarly(target: Target): Promise<void> {
  const { shop, random } = target;
  const headers = newKey({ ...authorized(target), 'content-type': 'application/json' }, random);
  const bytes = requestBytes('POST', '/v1/payments', headers, createBody);
  const headEnd = bytes.indexOf('\r\n\r\n') + 4;
  const cuts = {
    head: random.below(headEnd),
    body: headEnd + random.below(createBody.length),
    answer: bytes.length,
  };
  const where = random.pick(['head', 'body', 'answer'] as const);
  const gone = await open(shop.baseUrl);
  await new Promise((resolve) => gone.write(bytes.subarray(0, cuts[where]), resolve));
  if (where === 'answer' && random.chance(0.5)) await once(gone, 'data').catch(() => undefined);
  if (random.chance(0.5)) gone.resetAndDestroy();
  else gone.destroy();
  // The key stays in use while the first request is processed.
  let status: number | undefined;
  for (let tries = 0; tries < 200; tries += 1) {
    const again = await open(shop.baseUrl);
    again.write(bytes);
    [{ status } = { status: undefined }] = await readAnswers(again, 1);
    again.destroy();
    if (status !== 409) break;
    await sleep(50);
  }
  const wrong = status === 201 ? null : `the retry of a create whose caller disconnected answered ${status}`;
  target.saw(`closed in ${where}, then ${status}`, wrong);
}

/** Sends a valid body of its route's largest size, and one that is a byte longer. */
async function largeBody(target: Target): Promise<void> {
  const large = target.random.pick(target.largeBodies);
  for (const { outcome, wrong } of await sendLargeBody(target.shop, large)) target.saw(outcome, wrong);
}

const createBody = JSON.stringify(validCreate);

const newKey = (headers: Record<string, string>, random: Random): Record<string, string> => ({
  ...headers,
  'idempotency-key': `attacker-${random.below(1e9)}-${random.below(1e9)}`,
});
