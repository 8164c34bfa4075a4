import { type ApiProcess, startApiProcess, startWorkerProcess } from '../support/service-process.ts';
import { eventually, ledger } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { createReceiver } from '../support/receiver.ts';
import { Probe, refusal } from './contract-checks.ts';
import { type HoldingProxy, openGate, unknownId } from './support.ts';
import { proves } from '../support/proves.ts';

let world: World;
let vault: HoldingProxy;
let network: HoldingProxy;

beforeAll(async () => {
  [vault, network] = await Promise.all([openGate(), openGate()]);
  world = await createWorld(
    {
      VAULT_URL: vault.url,
      NETWORK_URL: network.url,
      WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,1,1,1,1,1,1,1',
    },
    { worker: false },
  );
  vault.target = world.vaultUrl;
  network.target = world.networkUrl;
});
afterAll(async () => {
  await world.close();
  await Promise.all([vault.close(), network.close()]);
});

const newKey = async () => world.key(await world.merchant(), 'sandbox');
const charges = async (id: string) => (await ledger(world.networkUrl, id)).charges;

/** Pays by the retry policy until this call or an earlier one has paid the payment. */
const payUntilPaid = (shop: Probe, id: string, card: Parameters<Probe['pay']>[1]): Promise<true> =>
  eventually(async () => {
    const answer = await shop.pay(id, card);
    if (answer.status === 410) expect(await shop.read(id)).toMatchObject({ status: 'paid' });
    return answer.status === 410 || answer.body.data?.['status'] === 'paid' ? true : undefined;
  }, 60_000);

/**
 * The points of a pay at which its process can die: the held call, and whether the network has charged by
 * then.
 */
const points = [
  {
    name: 'before the vault knows the token',
    gate: () => vault,
    pattern: /^POST .*\/claim/,
    cards: '4242424242424242',
  },
  {
    name: 'before the network hears of the charge',
    gate: () => network,
    pattern: /^POST \/v1\/charges$/,
    cards: '4242424242424242',
  },
  // The network charges at once and answers seconds later.
  { name: 'after the charge, before its answer', gate: () => null, pattern: null, cards: '4000000000007304' },
] as const;

describe('a process that crashes during a pay', () => {
  it.each(['API', 'worker'] as const)(
    proves(
      'the %s is killed at every point of a pay: after retries each payment is paid with one charge',
      'PAY-17',
      'FENCE-07',
      'GEN-03',
    ),
    async (victim) => {
      const apis = await Promise.all([startApiProcess(world), startApiProcess(world)]);
      let worker = await startWorkerProcess(world);
      const held: ReturnType<HoldingProxy['hold']>[] = [];
      try {
        const [first, second] = await shopsOf(apis);
        const running: { id: string; card: Parameters<Probe['pay']>[1]; lost: Promise<unknown> }[] = [];
        // Captured before the first pay, so that held calls do not run into their time-out meanwhile.
        const captured = await Promise.all(
          points.map(async (point) => {
            const id = await first.customPayment();
            return { ...point, id, card: await first.captureCard(id, point.cards) };
          }),
        );
        for (const { gate, pattern, id, card } of captured) {
          const hold = pattern && gate()?.hold(pattern, 1);
          if (hold) held.push(hold);
          running.push({ id, card, lost: first.pay(id, card).catch(() => 'lost') });
          await eventually(async () => {
            const there = hold ? hold.arrived() > 0 : (await charges(id)).length > 0;
            return there ? true : undefined;
          });
        }
        await (victim === 'API' ? apis[0] : worker).kill();
        // Requests on their way still arrive, although no caller waits for them any more.
        for (const { release } of held) release();
        if (victim === 'worker') worker = await startWorkerProcess(world);
        const answers = await Promise.all(running.map(({ lost }) => lost));
        const ends = answers.map((answer) => (answer as { status?: number }).status ?? 'lost');
        expect(ends.includes('lost')).toBe(victim === 'API');
        // On a slow machine the first pay may be answered just before its API dies.
        expect(victim === 'API' ? ends.filter((end) => end !== 'lost' && end !== 503) : []).toEqual([]);
        for (const { id, card } of running) {
          await payUntilPaid(second, id, card);
          const made = await charges(id);
          expect(made.filter(({ status }) => status === 'captured')).toHaveLength(1);
          // One key per attempt: every other attempt was closed without a charge.
          expect(new Set(made.map(({ attemptId }) => attemptId)).size).toBe(made.length);
          expect(made.map(({ status }) => status).filter((status) => status !== 'voided')).toEqual([
            'captured',
          ]);
        }
      } finally {
        for (const { release } of held) release();
        await Promise.all([...apis, worker].map(({ kill }) => kill()));
      }
    },
  );

  it(
    proves(
      'a service killed during a delivery shows the new status at once, and delivers the same event again',
      'HOOK-11',
    ),
    async () => {
      const [api, worker] = await Promise.all([startApiProcess(world), startWorkerProcess(world)]);
      const kill = () => Promise.all([api.kill(), worker.kill()]);
      const crash: { done?: Promise<unknown> } = {};
      // The endpoint never answers the first delivery, so the service dies before anything can follow it.
      const receiver = await createReceiver((_delivery, response) => {
        if (crash.done) response.writeHead(204).end();
        crash.done ??= kill();
      });
      let again: Awaited<ReturnType<typeof startWorkerProcess>> | null = null;
      try {
        const shop = new Probe(api.baseUrl, await newKey());
        const added = await shop.call('POST', '/v1/webhook-endpoints', { url: receiver.url });
        expect(added.status).toBe(201);
        const id = await shop.customPayment();
        const card = await shop.captureCard(id);
        await shop.pay(id, card).catch(() => 'lost');
        await eventually(async () => (crash.done ? true : undefined));
        await crash.done;
        const [delivery] = receiver.received;
        expect(delivery?.event).toMatchObject({ type: 'payment.paid', data: { id, status: 'paid' } });
        // Read through an API that did not take part, and from the row itself.
        const { rows } = await world.database.query('SELECT status FROM payments WHERE id = $1', [id]);
        expect(rows).toEqual([{ status: 'paid' }]);
        expect(await new Probe(world.baseUrl, shop.key).read(id)).toMatchObject({ status: 'paid' });
        again = await startWorkerProcess(world);
        const repeated = await eventually(async () => receiver.received[1], 60_000);
        expect([repeated.text, repeated.headers['webhook-id']]).toEqual([
          delivery?.text,
          delivery?.headers['webhook-id'],
        ]);
      } finally {
        await kill();
        await again?.kill();
        await receiver.close();
      }
    },
  );
});

describe('a pay that is refused', () => {
  it(proves('leaves no charge of its own, whatever the code of the error', 'PAY-17'), async () => {
    // No process is killed here, so the world's own API and worker are used.
    await world.startWorker();
    try {
      const shop = new Probe(world.baseUrl, await newKey());
      const id = await shop.customPayment();
      const card = await shop.captureCard(id, '4000000000003220');
      const wrong = { ...card, cardToken: 'x'.repeat(16) };
      expect(refusal(await shop.pay(id, wrong))).toEqual([422, 'card_token_rejected']);
      expect(refusal(await shop.pay(id, { ...card, cardToken: 'x' }))).toEqual([400, 'invalid_request']);
      expect(refusal(await shop.pay(unknownId, card))).toEqual([404, 'not_found']);
      vault.closed = true;
      expect(refusal(await shop.pay(id, card))).toEqual([503, 'service_unavailable']);
      vault.closed = false;
      expect(await charges(id)).toEqual([]);
      expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'requiresAction' });
      expect(refusal(await shop.pay(id, card))).toEqual([409, 'action_required']);
      expect(await charges(id)).toHaveLength(1);

      const slow = await shop.customPayment();
      const slowCard = await shop.captureCard(slow, '4000000000007304');
      const first = shop.pay(slow, slowCard);
      await eventually(async () => ((await charges(slow)).length > 0 ? true : undefined));
      expect(refusal(await shop.pay(slow, slowCard))).toEqual([409, 'payment_in_progress']);
      expect((await first).body.data).toMatchObject({ status: 'paid' });
      expect(refusal(await shop.pay(slow, slowCard))).toEqual([410, 'checkout_expired']);
      expect((await charges(slow)).map(({ status }) => status)).toEqual(['captured']);
    } finally {
      await world.stopWorker();
    }
  });
});

/** Returns one merchant's backend at each of two API processes. */
async function shopsOf([first, second]: [ApiProcess, ApiProcess]): Promise<[Probe, Probe]> {
  const key = await newKey();
  return [new Probe(first.baseUrl, key), new Probe(second.baseUrl, key)];
}
