import { randomUUID } from 'node:crypto';
import { parseRateLimits } from '../../src/operations/rate-limits.ts';
import { type ApiProcess, startApiProcess } from '../support/service-process.ts';
import { type Answer, ledger, validCreate } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { Probe, refusal } from './contract-checks.ts';
import { total, unknownId } from './support.ts';
import { proves } from '../support/proves.ts';

let world: World;
let second: ApiProcess;

beforeAll(async () => {
  world = await createWorld({
    RATE_LIMITS: 'sandbox.all=2/6,sandbox.create=1/3,payment.act=1/4,payment.read=2/4,failures=1/3',
  });
  second = await startApiProcess(world);
});
afterAll(async () => {
  await second.kill();
  await world.close();
});

const shopWithKey = async () => new Probe(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));

/** Calls until one is refused. Fails the test when none is. */
async function untilRefused(call: () => Promise<Answer>): Promise<{ admitted: number; refused: Answer }> {
  for (let admitted = 0; admitted < 50; admitted += 1) {
    const answer = await call();
    if (answer.status === 429) return { admitted, refused: answer };
  }
  throw new Error('no limit came');
}

const waitFor = (answer: Answer) =>
  new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get('retry-after')) * 1000));

describe('rate limits', () => {
  it.each<[string, string, string, unknown]>([
    ['create', 'POST', '/v1/payments', validCreate],
    ['list', 'GET', '/v1/payments', undefined],
    ['retrieve', 'GET', `/v1/payments/${unknownId}`, undefined],
    ['capture', 'POST', `/v1/payments/${unknownId}/capture`, undefined],
    ['checkout', 'GET', `/v1/payments/${unknownId}/checkout`, undefined],
    ['pay', 'POST', `/v1/payments/${unknownId}/pay`, { cardToken: 'x'.repeat(16), captureReference: 'r' }],
    ['confirm', 'POST', `/v1/payments/${unknownId}/confirm`, {}],
    ['status', 'GET', `/v1/payments/${unknownId}/status`, undefined],
  ])(
    proves(
      'answer a burst on %s with 429 rate_limited, also for ids that do not exist',
      'RATE-01',
      'CAPTURE-17',
      'PAY-09',
      'CONFIRM-10',
      'AMB-43',
    ),
    async (_name, method, path, body) => {
      const shop = await shopWithKey();
      const { admitted, refused } = await untilRefused(() =>
        shop.call(method, path, body, { 'idempotency-key': randomUUID() }),
      );
      expect(admitted).toBeGreaterThan(0);
      expect(refusal(refused)).toEqual([429, 'rate_limited']);
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    },
  );

  it(
    proves('share one budget between two API processes, and give another key its own', 'RATE-01', 'AMB-43'),
    async () => {
      const shop = await shopWithKey();
      const elsewhere = new Probe(second.baseUrl, shop.key);
      const before = Date.now();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? shop : elsewhere).call('GET', '/v1/payments')),
      );
      const admitted = answers.filter(({ status }) => status === 200).length;
      expect(admitted).toBeGreaterThanOrEqual(6);
      // Two budgets would admit at least twelve. One budget regains a call every half second.
      expect(admitted).toBeLessThanOrEqual(6 + Math.ceil((Date.now() - before) / 500));
      expect((await (await shopWithKey()).call('GET', '/v1/payments')).status).toBe(200);
    },
  );

  it(
    proves(
      'admit a call after Retry-After, on either process, each time',
      'RATE-02',
      'RETRY-01',
      'POLL-03',
      'POLL-05',
    ),
    async () => {
      const shop = await shopWithKey();
      for (const next of [shop, new Probe(second.baseUrl, shop.key)]) {
        const { refused } = await untilRefused(() => shop.call('GET', '/v1/payments'));
        await waitFor(refused);
        expect((await next.call('GET', '/v1/payments')).status).toBe(200);
      }
    },
  );

  it(proves('put the headers of draft 10, counting down, into every answer', 'RATE-02'), async () => {
    const shop = await shopWithKey();
    const first = await shop.call('GET', '/v1/payments');
    const next = await shop.call('GET', '/v1/payments');
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=6;w=3');
    const left = (answer: Answer) =>
      Number(/;r=(\d+);t=\d+$/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    expect(left(first)).toBe(5);
    expect(left(next)).toBeLessThanOrEqual(5);
    const { refused } = await untilRefused(() => shop.call('GET', '/v1/payments'));
    expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=[1-9]\d*$/);
  });

  it(
    proves(
      'let a limited create create nothing, and its key make the payment later',
      'RATE-03',
      'CREATE-28',
      'AMB-12',
    ),
    async () => {
      const shop = await shopWithKey();
      const { admitted } = await untilRefused(() => shop.create());
      const key = randomUUID();
      const refused = await shop.create({}, key);
      expect(refused.status).toBe(429);
      await waitFor(refused);
      expect((await shop.create({}, key)).status).toBe(201);
      await waitFor(refused);
      expect(await total(shop)).toBe(admitted + 1);
    },
  );

  it(
    proves('leave attempts, ledger, status and capture access unchanged by a limited pay', 'RATE-03'),
    async () => {
      const shop = await shopWithKey();
      const id = await shop.customPayment();
      const card = await shop.captureCard(id);
      const wrong = { ...card, cardToken: 'x' };
      const { refused } = await untilRefused(() => shop.pay(id, wrong));
      const met = await shop.pay(id, card);
      expect(met.status).toBe(429);
      expect((await ledger(world.networkUrl, id)).charges).toEqual([]);
      await waitFor(refused);
      await waitFor(met);
      expect(await shop.status(id)).toMatchObject({ status: 'open', attemptsLeft: 5 });
      expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    },
  );

  it(proves('answer unknown and foreign ids alike also beyond the limit', 'EP-06'), async () => {
    const [mine, theirs] = [await shopWithKey(), await shopWithKey()];
    const foreign = await theirs.customPayment();
    const [unknown, other] = await Promise.all(
      [unknownId, foreign].map(
        async (id) => (await untilRefused(() => mine.call('GET', `/v1/payments/${id}/status`))).refused,
      ),
    );
    expect(JSON.parse(other?.text ?? '')).toEqual(JSON.parse(unknown?.text ?? ''));
  });

  it(proves('limit failed keys per address, but not a valid key of that address', 'AMB-43'), async () => {
    const stranger = new Probe(world.baseUrl, 'nothing');
    const { admitted, refused } = await untilRefused(() => stranger.call('GET', '/v1/payments'));
    expect(admitted).toBeGreaterThan(0);
    expect(refusal(refused)).toEqual([429, 'rate_limited']);
    expect((await (await shopWithKey()).call('GET', '/v1/payments')).status).toBe(200);
  });

  it(
    proves(
      'the default limits gain calls faster than the documented polling pace uses them',
      'POLL-01',
      'POLL-04',
    ),
    () => {
      const limits = parseRateLimits('');
      if (limits === 'off') throw new Error('the default is not off');
      // The recommended polls of a payment: after 2 s, 5 s and 10 s. A customer's page reads every 10 s.
      expect(limits['payment.read'].gapMs).toBeLessThanOrEqual(2_000);
      for (const name of ['sandbox.all', 'live.all'] as const)
        expect(limits[name].gapMs).toBeLessThanOrEqual(2_000);
      expect(limits).toMatchObject({
        'live.all': { gapMs: 10, burst: 200 },
        'sandbox.all': { gapMs: 40, burst: 50 },
        'live.create': { gapMs: 40 },
        'sandbox.create': { gapMs: 100 },
        'payment.read': { gapMs: 500, burst: 10 },
        'payment.act': { gapMs: 6_000, burst: 10 },
        failures: { gapMs: 3_000, burst: 20 },
      });
    },
  );
});
