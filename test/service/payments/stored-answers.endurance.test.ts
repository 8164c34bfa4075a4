import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createAttemptActivities } from '../../../src/activities/attempts.ts';
import type { AttemptActivityDeps } from '../../../src/activities/authorize.ts';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { recordAnswer } from '../../../src/db/payments/attempt-answers.ts';
import type { ProviderPorts } from '../../../src/providers/connectors.ts';
import { type Charge, type PaymentNetwork, ProviderUnavailable } from '../../../src/providers/ports.ts';
import { partial } from '../../support/partial.ts';
import { type World, createWorld } from '../../support/world.ts';
import { Shop } from '../../support/shop.ts';

let world: World;
let shop: Shop;
beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

/** Creates a payment with an attempt that was claimed, and that its worker recorded as never sent. */
async function neverSent(): Promise<{ paymentId: string; attemptNo: number }> {
  const attempt = { paymentId: await shop.customPayment(), attemptNo: 1 };
  await world.database.query(
    `INSERT INTO attempts (payment_id, attempt_no, status, method, request_id, started_at, claimed_at)
     VALUES ($1, 1, 'processing', 'card', $2, now(), now())`,
    [attempt.paymentId, randomUUID()],
  );
  await recordAnswer(world.database, attempt, 'not_sent');
  return attempt;
}

/** A network that must not be called, because its answer about an unknown key would contradict the rows. */
const connectors: AttemptActivityDeps['connectors'] = {
  simulated: [],
  portsOf: () => Promise.reject(new Error('the network was asked')),
};

it.each(['awaitAttempt', 'resolveAttempt'] as const)(
  '%s uses the answer that another process stored before it queries the network',
  async (activity) => {
    const attempt = await neverSent();
    const activities = createAttemptActivities(
      partial<AttemptActivityDeps>({ database: world.database, connectors }),
    );
    const input = { ...attempt, close: true, alerted: false };
    expect(await new MockActivityEnvironment().run(() => activities[activity](input))).toMatchObject({
      outcome: { status: 'notStarted', recorded: false },
    });
  },
);

/** Makes the attempt that is reserved for a payment, by Pix, at a network with these functions. */
async function authorize(
  attempt: { paymentId: string; attemptNo: number },
  network: Partial<PaymentNetwork>,
): Promise<unknown> {
  const keyring = createKeyring(world.settings.ENCRYPTION_KEYS, world.settings.LOOKUP_KEYS);
  const activities = createAttemptActivities({
    database: world.database,
    keyring,
    connectors: {
      simulated: ['sandbox'],
      portsOf: async () =>
        partial<ProviderPorts>({ network: partial<PaymentNetwork>({ prepare: null, ...network }) }),
    },
    controls: partial<AttemptActivityDeps['controls']>({}),
    commit: () => Promise.reject(new Error('no transition may be committed')),
    publicUrl: world.baseUrl,
    now: Date.now,
  });
  return new MockActivityEnvironment().run(() => activities.authorize(attempt));
}

/** Creates a payment whose first attempt is reserved and not claimed yet. */
async function reserved(): Promise<{ paymentId: string; attemptNo: number }> {
  const attempt = { paymentId: await shop.customPayment(), attemptNo: 1 };
  await world.database.query(
    `WITH fence AS (UPDATE payments SET checkout_status = 'processing' WHERE id = $1)
     INSERT INTO attempts (payment_id, attempt_no, status, method, request_id, started_at)
     VALUES ($1, 1, 'processing', 'pix', $2, now())`,
    [attempt.paymentId, randomUUID()],
  );
  return attempt;
}

const answerOf = async ({ paymentId }: { paymentId: string }): Promise<unknown> =>
  (await world.database.query('SELECT answer FROM attempts WHERE payment_id = $1', [paymentId])).rows;

it('a decline whose cancellation did not reach the network is an unknown outcome, not an unsent charge', async () => {
  const attempt = await reserved();
  const declined = partial<Charge>({
    status: 'declined',
    amountCents: 2500,
    currency: 'USD',
    failureCode: 'card_declined',
    message: 'declined',
    card: null,
  });
  const answer = await authorize(attempt, {
    declinesStayOpen: true,
    charge: async () => declined,
    cancel: () => Promise.reject(new ProviderUnavailable('network', false, 'connection refused')),
  });
  expect(answer).toMatchObject({ outcome: { status: 'unknown' } });
  expect(await answerOf(attempt)).toEqual([{ answer: null }]);
});

it('a reservation that cannot be claimed any more is canceled with the report that nothing was sent', async () => {
  const attempt = await reserved();
  await world.database.query(
    `UPDATE merchants SET status = 'disabled' WHERE id = (SELECT merchant_id FROM payments WHERE id = $1)`,
    [attempt.paymentId],
  );
  const answer = await authorize(attempt, { charge: () => Promise.reject(new Error('nothing may be sent')) });
  expect(answer).toMatchObject({ outcome: { status: 'notStarted', recorded: false } });
  expect(await answerOf(attempt)).toEqual([{ answer: 'not_sent' }]);
});
