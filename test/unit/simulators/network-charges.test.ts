import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { call, RETURN_URL, until, World, type ChargeView, type ErrorView } from '../../support/simulators.ts';

const VISA = '4242424242424242';

describe('one key, one effect', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it.each([VISA, '4000000000000002', '4000000000009995', '4000000000003220'])(
    'twenty concurrent charges of card %s under one key are one charge with one answer',
    async (number) => {
      const { session, token } = await world.token(number);
      const body = world.chargeBody(session, token);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => world.charge(`${session.paymentId}:1`, body)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect((await world.ledger(session.paymentId)).charges).toHaveLength(1);
    },
  );

  it('twenty concurrent charges of the slow card all wait for the one charge', async () => {
    const { session, token } = await world.token('4000000000007304');
    const key = `${session.paymentId}:1`;
    const body = world.chargeBody(session, token);
    const answers = Promise.all(Array.from({ length: 20 }, () => world.charge(key, body)));
    await until(async () => (await world.ledger(session.paymentId)).charges[0]);
    world.skewMs = 5_000;
    await until(async () => (await world.lookup(key)).status === 'captured');
    expect(new Set((await answers).map((answer) => answer.json<ChargeView>().status))).toEqual(
      new Set(['captured']),
    );
    world.skewMs = 0;
    expect((await world.ledger(session.paymentId)).charges).toHaveLength(1);
  });

  it('of twenty concurrent charges whose answer is lost, one is cut and the others are answered', async () => {
    const { session, token } = await world.token('4000000000007007');
    const body = world.chargeBody(session, token);
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, () => world.charge(`${session.paymentId}:1`, body)),
    );
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect((await world.ledger(session.paymentId)).charges).toMatchObject([{ status: 'captured' }]);
  });

  it('a charge under another key is another charge: the network does not protect the service from itself', async () => {
    const { session, token } = await world.pay(VISA);
    await world.charge(`${session.paymentId}:2`, world.chargeBody(session, token));
    expect((await world.ledger(session.paymentId)).charges.map(({ status }) => status)).toEqual([
      'captured',
      'captured',
    ]);
  });

  it('another body under a used key is refused with 409 and charges nothing', async () => {
    const { session, token, key } = await world.pay(VISA);
    const answer = await world.charge(key, world.chargeBody(session, token, { amountCents: 2_501 }));
    expect([answer.status, answer.json<ErrorView>().error.code]).toEqual([409, 'idempotency_key_reused']);
    expect((await world.ledger(session.paymentId)).charges).toHaveLength(1);
  });

  it('the order of members in the body does not matter', async () => {
    const { session, token } = await world.token(VISA);
    const key = `${session.paymentId}:1`;
    const body = world.chargeBody(session, token, { customer: { name: 'A', email: 'a@example.test' } });
    const first = await world.charge(key, body);
    const turned = Object.fromEntries(Object.entries(body).toReversed());
    expect((await world.charge(key, turned)).text).toBe(first.text);
  });

  it('a captured charge is in the file before its answer', async () => {
    const { key } = await world.pay(VISA);
    const lines = (await readFile(join(world.dir, 'network', 'ledger.jsonl'), 'utf8')).trimEnd().split('\n');
    const line = lines.find((each) => each.includes(`"k":"${key}"`));
    expect(line).toContain('"status":"captured"');
  });
});

describe('refused charges', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it.each([
    ['amountCents', { amountCents: 0 }],
    ['amountCents', { amountCents: 25.5 }],
    ['amountCents', { amountCents: '2500' }],
    ['currency', { currency: 'BRL' }],
    ['method', { method: 'cash' }],
    ['checkoutExpiresAt', { checkoutExpiresAt: 'soon' }],
    ['returnUrl', { returnUrl: 'javascript:alert(1)' }],
    ['environment', { environment: 'prod' }],
    ['cardToken', { cardToken: undefined }],
  ])('a wrong %s is refused with 400 (%j)', async (field, over) => {
    const { session, token } = await world.token(VISA);
    const answer = await world.charge(`${session.paymentId}:1`, world.chargeBody(session, token, over));
    expect([answer.status, answer.json<ErrorView>().error.field]).toEqual([400, field]);
    expect((await world.ledger(session.paymentId)).charges).toEqual([]);
  });

  it.each(['', 'has space', 'x'.repeat(256)])('the idempotency key %j is refused with 400', async (key) => {
    const { session, token } = await world.token(VISA);
    expect((await world.charge(key, world.chargeBody(session, token))).status).toBe(400);
  });

  it('a token of another payment is refused with 422 and the key stays free', async () => {
    const { session, token } = await world.token(VISA);
    const other = await world.token(VISA);
    const key = `${session.paymentId}:1`;
    const refused = await world.charge(key, world.chargeBody(session, other.token));
    expect([refused.status, refused.json<ErrorView>().error.code]).toEqual([422, 'card_token_rejected']);
    expect((await world.service(`/v1/charges/${key}`)).status).toBe(404);
    expect((await world.charge(key, world.chargeBody(session, token))).status).toBe(200);
  });

  it('an unavailable vault is 503 and nothing is recorded; the same call works when it is back', async () => {
    const { session, token } = await world.token(VISA);
    const key = `${session.paymentId}:1`;
    const port = new URL(world.vaultUrl).port;
    await world.vault.close();
    const refused = await world.charge(key, world.chargeBody(session, token));
    expect([refused.status, refused.json<ErrorView>().error.code]).toEqual([503, 'vault_unavailable']);
    expect((await world.ledger(session.paymentId)).charges).toEqual([]);
    await world.startVault(Number(port));
    expect((await world.charge(key, world.chargeBody(session, token))).json()).toMatchObject({
      status: 'captured',
    });
  });

  it.each([
    'POST /v1/charges',
    'GET /v1/charges/k',
    'POST /v1/refunds',
    'GET /v1/disputes?paymentId=p',
    'POST /v1/faults',
    'POST /v1/simulate/clock',
  ])('%s without the service key is 401', async (route) => {
    const [method, path] = route.split(' ');
    const answer = await call(`${world.networkUrl}${path}`, method === 'GET' ? {} : { json: {} });
    expect(answer.status).toBe(401);
  });

  it('looking up or confirming an unknown key is 404', async () => {
    expect((await world.service('/v1/charges/unknown%3A1')).status).toBe(404);
    expect((await world.service('/v1/charges/unknown%3A1/confirm', { method: 'POST' })).status).toBe(404);
  });

  it('a body of more than 64 KiB is 413', async () => {
    const answer = await world.charge('k', { filler: 'x'.repeat(70_000) });
    expect(answer.status).toBe(413);
  });
});

describe('voiding', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it('turns an unknown key into a tombstone that blocks charges', async () => {
    const { session, token } = await world.token(VISA);
    const key = `${session.paymentId}:1`;
    expect(await world.void(key, session)).toMatchObject({ key, status: 'voided', amountCents: 2_500 });
    const answer = await world.charge(key, world.chargeBody(session, token));
    expect([answer.status, answer.json<ChargeView>().status]).toEqual([200, 'voided']);
    expect((await world.ledger(session.paymentId)).charges).toMatchObject([{ status: 'voided' }]);
  });

  it('is refused for an unknown key where the network cannot close it: a charge may still arrive', async () => {
    const other = await World.start({ voidsUnseenKeys: false });
    const { session, token } = await other.token(VISA);
    const key = `${session.paymentId}:1`;
    const json = { paymentId: session.paymentId, attemptId: key, amountCents: 2_500 };
    const path = `/v1/charges/${encodeURIComponent(key)}/void`;
    expect((await other.service(path, { json })).status).toBe(404);
    const answer = await other.charge(key, other.chargeBody(session, token));
    expect(answer.json<ChargeView>().status).toBe('captured');
    await other.stop();
  });

  it('wins over the charge while the vault is called', async () => {
    const gate = await gatedVault();
    const slow = await World.start({ vaultUrl: gate.url });
    const { session, token } = await slow.token(VISA);
    const key = `${session.paymentId}:1`;
    const charge = slow.charge(key, slow.chargeBody(session, token));
    await gate.asked;
    expect(await slow.void(key, session)).toMatchObject({ status: 'voided' });
    gate.open();
    expect((await charge).json()).toMatchObject({ status: 'voided' });
    expect((await slow.ledger(session.paymentId)).charges.map(({ status }) => status)).toEqual(['voided']);
    await slow.stop();
    gate.close();
  });

  it('leaves one record after twenty concurrent voids and charges of one key', async () => {
    const { session, token } = await world.token(VISA);
    const key = `${session.paymentId}:1`;
    const body = world.chargeBody(session, token);
    const seen = await Promise.all(
      Array.from({ length: 20 }, async (_, n) =>
        n % 2 === 0 ? world.void(key, session) : (await world.charge(key, body)).json<ChargeView>(),
      ),
    );
    const { charges } = await world.ledger(session.paymentId);
    expect(charges).toHaveLength(1);
    expect(seen.at(-1)?.status).toBe(charges[0]?.status);
  });

  it('closes a challenge that was not answered, and its page', async () => {
    const { key, session, charge } = await world.pay('4000000000003220');
    expect(await world.void(key, session)).toMatchObject({ status: 'voided', action: null });
    expect((await call(charge.action?.url ?? '')).status).toBe(404);
    expect((await call(charge.action?.url ?? '', { form: { result: 'approve' } })).status).toBe(404);
    expect(await world.confirm(key)).toMatchObject({ status: 'voided' });
  });

  it('does not void a challenge that was passed: its confirm still pays', async () => {
    const { key, session, charge } = await world.pay('4000000000003220');
    await call(charge.action?.url ?? '', { form: { result: 'approve' } });
    expect(await world.void(key, session)).toMatchObject({ status: 'requires_action' });
    expect(await world.confirm(key)).toMatchObject({ status: 'captured' });
  });

  it.each([
    [VISA, 'captured'],
    ['4000000000000002', 'declined'],
    ['4000000000009987', 'failed'],
  ])('leaves a final charge (%s) %s', async (number, status) => {
    const { key, session } = await world.pay(number);
    expect(await world.void(key, session)).toMatchObject({ status });
  });

  it('voids an unpaid pix, so that its customer may pay another way', async () => {
    const session = await world.session();
    const key = `${session.paymentId}:1`;
    await world.charge(key, world.chargeBody(session, '', { method: 'pix', cardToken: undefined }));
    expect(await world.void(key, session)).toMatchObject({ status: 'voided' });
  });
});

describe('the open ledger', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it('is empty for an unknown payment and refuses to show everything', async () => {
    expect(await world.ledger(randomUUID())).toEqual({ charges: [], refunds: [] });
    expect((await call(`${world.networkUrl}/ledger`)).status).toBe(400);
  });

  it('counts the calls of the service, but not reads of the ledger', async () => {
    const calls = async () =>
      (await call(`${world.networkUrl}/stats`)).json<{ calls: Record<string, number> }>().calls;
    const before = await calls();
    const { key, session } = await world.pay(VISA);
    await world.lookup(key);
    await world.ledger(session.paymentId);
    const after = await calls();
    const grown = Object.entries(after).filter(([name, count]) => count !== before[name]);
    expect(grown.map(([name]) => name)).toEqual(['charge', 'lookup']);
  });

  it('does not contain the return address', async () => {
    const { charge } = await world.pay('4000000000003220');
    expect(JSON.stringify(charge)).not.toContain(RETURN_URL);
  });
});

/** Returns a vault that reports a call for a card, and answers only when the test releases it. */
async function gatedVault() {
  const [asked, tellAsked] = signal();
  const [opened, open] = signal();
  const server = createServer((_request, response) => {
    tellAsked();
    void opened.then(() => response.end(JSON.stringify({ number: VISA })));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, asked, open, close: () => server.close() };
}

function signal(): [Promise<void>, () => void] {
  let fire = (): void => undefined;
  const fired = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return [fired, () => fire()];
}
