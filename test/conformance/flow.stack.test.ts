import { jsonData } from '../support/answers.ts';
import { type CaptureAccess, eventually, ledger, sendCard } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { Probe, refusal } from './contract-checks.ts';
import {
  type Merchants,
  type HoldingProxy,
  accessOf,
  answerChallenge,
  networkCalls,
  openCast,
  openGate,
  injectFault,
  simulateOutcome,
} from './support.ts';
import { proves } from '../support/proves.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let cast: Merchants;
let networkGate: HoldingProxy;
let vaultGate: HoldingProxy;
let shop: Probe;

beforeAll(async () => {
  [networkGate, vaultGate] = await Promise.all([openGate(), openGate()]);
  world = await createWorld({ NETWORK_URL: networkGate.url, VAULT_URL: vaultGate.url });
  networkGate.target = world.networkUrl;
  vaultGate.target = world.vaultUrl;
  cast = await openCast(world);
  shop = cast.a;
});
afterAll(async () => {
  await world.close();
  await Promise.all([networkGate.close(), vaultGate.close()]);
});

const paidCard = '4242424242424242';
const declinedCard = '4000000000000002';
const challengeCard = '4000000000003220';
const lostCard = '4000000000009987';

const charges = async (id: string) => (await ledger(world.networkUrl, id)).charges;
const captured = async (id: string) =>
  (await charges(id)).filter(({ status }) => status === 'captured').length;
const statusIs = (id: string, wanted: string) =>
  eventually(async () => ((await shop.status(id))['status'] === wanted ? true : undefined));
const paymentIs = (id: string, wanted: string) =>
  eventually(async () => ((await shop.read(id))['status'] === wanted ? true : undefined));

/** Creates a custom payment, captures its card and makes its first pay. */
async function paidWith(number: string, on: Probe = shop) {
  const id = await on.customPayment();
  const card = await on.captureCard(id, number);
  return { id, card, answer: await on.pay(id, card) };
}

const fences = async (id: string, card: { cardToken: string; captureReference: string }) => ({
  capture: refusal(await shop.capture(id)),
  pay: refusal(await shop.pay(id, card)),
  confirm: refusal(await shop.confirm(id)),
});

const checkoutKeys = [
  'amountCents',
  'attemptsLeft',
  'currency',
  'environment',
  'expiresAt',
  'paymentId',
  'pciConfig',
  'reference',
  'status',
];

describe('an open checkout', () => {
  test(
    proves(
      'prepare answers the checkout object with access',
      'FLOW-01',
      'FLOW-02',
      'CAPTURE-01',
      'CHECKOUT-01 to -10',
      'CHECKOUT-13 to -23',
    ),
    async () => {
      const created = await shop.create({ checkoutMode: 'custom', reference: 'order-77' });
      const id = String(created.body.data?.['id']);
      const prepared = await shop.capture(id);
      expect(prepared.status).toBe(200);
      const { capture, pciConfig, ...rest } = jsonData(prepared) as Record<string, unknown> & {
        capture: CaptureAccess;
        pciConfig: Record<string, string>;
      };
      expect(rest).toEqual({
        paymentId: id,
        amountCents: 2500,
        currency: 'USD',
        reference: 'order-77',
        status: 'open',
        expiresAt: created.body.data?.['expiresAt'],
        attemptsLeft: 5,
        environment: 'sandbox',
      });
      expect(Object.keys(pciConfig).toSorted()).toEqual([
        'allowedOrigin',
        'captureUrl',
        'provider',
        'vaultId',
      ]);
      // AMB-27: one reference, one URL; AMB-29: the merchant's own origin; AMB-30: the literal name.
      expect(pciConfig).toMatchObject({
        provider: 'cardVault',
        vaultId: capture.reference,
        captureUrl: capture.url,
      });
      expect(pciConfig['allowedOrigin']).toBe('https://shop.example');
      expect(capture.secret.length).toBeGreaterThanOrEqual(16);
      expect(capture.secret.length).toBeLessThanOrEqual(4096);
      expect(capture.reference.length).toBeGreaterThanOrEqual(1);
      expect(capture.reference.length).toBeLessThanOrEqual(31);
      const read = await shop.checkout(id);
      expect(read).toEqual({ ...rest, pciConfig });
      expect(Object.keys(read).toSorted()).toEqual(checkoutKeys);
      expect(await charges(id)).toEqual([]);
    },
  );

  test(
    proves(
      'capture secret, references and header are literal and within their bounds',
      'LIMIT-16',
      'LIMIT-17',
      'AMB-27',
      'AMB-29',
      'AMB-30',
    ),
    async () => {
      const id = await shop.customPayment();
      const access = accessOf(await shop.capture(id));
      expect(access.secret).toMatch(/^[!-~]{16,4096}$/);
      expect(access.reference).toMatch(/^[!-~]{1,31}$/);
      expect(await sendCard(access, paidCard)).toMatchObject({ captureReference: access.reference });
      const checkout = await shop.checkout(id);
      expect(checkout['pciConfig']).toMatchObject({
        provider: 'cardVault',
        vaultId: access.reference,
        captureUrl: access.url,
        allowedOrigin: 'https://shop.example',
      });
    },
  );

  test(
    proves(
      'pciConfig is the same before prepare, after it and after the checkout closed',
      'CHECKOUT-10',
      'AMB-28',
    ),
    async () => {
      const id = await shop.customPayment();
      const before = (await shop.checkout(id))['pciConfig'];
      expect(before).toMatchObject({ provider: 'cardVault', vaultId: expect.any(String) });
      await shop.pay(id, await shop.captureCard(id));
      expect((await shop.checkout(id))['pciConfig']).toEqual(before);
    },
  );

  test(
    proves('allowedOrigin is the embedding origin when one is given', 'CHECKOUT-18', 'AMB-29'),
    async () => {
      const id = await shop.customPayment({
        embeddingOrigin: 'https://shop.example',
        successUrl: 'https://elsewhere.example/ok',
      });
      expect((await shop.checkout(id))['pciConfig']).toMatchObject({ allowedOrigin: 'https://shop.example' });
    },
  );

  test(proves('iframeUrl is there only for a merchant with a hosted form', 'CHECKOUT-19'), async () => {
    const merchant = await world.merchant({ sandbox: { hostedForm: true } });
    const withForm = new Probe(world.baseUrl, await world.key(merchant, 'sandbox'));
    const shown = (await withForm.checkout(await withForm.customPayment()))['pciConfig'];
    expect(new URL(String((shown as { iframeUrl?: string }).iframeUrl)).protocol).toMatch(/^https?:$/);
    expect((await shop.checkout(await shop.customPayment()))['pciConfig']).not.toHaveProperty('iframeUrl');
  });

  test(
    proves(
      'each payment has its own capture address and random reference',
      'GEN-02',
      'CHECKOUT-16',
      'CHECKOUT-17',
    ),
    async () => {
      const ids = await Promise.all([
        shop.customPayment({ reference: 'r' }),
        shop.customPayment({ reference: 'r' }),
      ]);
      const configs = await Promise.all(
        ids.map(
          async (id) => (await shop.checkout(id))['pciConfig'] as { vaultId: string; captureUrl: string },
        ),
      );
      expect(new Set(configs.map(({ vaultId }) => vaultId)).size).toBe(2);
      expect(new Set(configs.map(({ captureUrl }) => captureUrl)).size).toBe(2);
      for (const [at, config] of configs.entries()) {
        expect(config.vaultId).not.toBe('r');
        expect(config.vaultId).not.toContain(String(ids[at]).slice(-12));
        expect(await shop.checkout(String(ids[at]))).toMatchObject({ pciConfig: config });
      }
    },
  );

  test(
    proves(
      'twenty prepares, parallel and in turn, give one access and have no other effect',
      'CAPTURE-04',
      'CAPTURE-05',
      'CAPTURE-06',
      'CAPTURE-07',
      'CAPTURE-08',
    ),
    async () => {
      const id = await shop.customPayment();
      const answers = await Promise.all(Array.from({ length: 10 }, () => shop.capture(id)));
      for (let turn = 0; turn < 10; turn += 1) answers.push(await shop.capture(id));
      const seen = new Set(answers.map((answer) => JSON.stringify(answer.body.data?.['capture'])));
      expect(seen.size).toBe(1);
      const access = accessOf(answers[0]);
      const read = await shop.read(id);
      const ends = Date.parse(access.expiresAt);
      expect(ends - Date.parse(String(read['createdAt']))).toBe(600_000);
      expect(ends).toBeLessThanOrEqual(Date.parse(String(read['expiresAt'])));
      expect(read).toMatchObject({ status: 'pending' });
      expect(await shop.status(id)).toMatchObject({ status: 'open', attemptsLeft: 5 });
      expect(await charges(id)).toEqual([]);
    },
  );

  test(
    proves(
      'prepare accepts no body, an empty JSON body and {}; any other body is 400',
      'CAPTURE-02',
      'AMB-26',
    ),
    async () => {
      const id = await shop.customPayment();
      const send = (body: string | undefined, type?: string) =>
        shop.call(
          'POST',
          `/v1/payments/${id}/capture`,
          body,
          type === undefined ? {} : { 'content-type': type },
        );
      expect((await send(undefined)).status).toBe(200);
      expect((await send('', 'application/json')).status).toBe(200);
      expect((await send('', 'text/plain')).status).toBe(200);
      expect((await send('{}')).status).toBe(200);
      for (const body of ['{"a":1}', '[]', '{', 'x'])
        expect(refusal(await send(body))).toEqual([400, 'invalid_request']);
    },
  );

  test(
    proves(
      'the capture secret is in the answer of prepare and in no read',
      'SECRET-05',
      'CHECKOUT-24',
      'SECRET-10',
    ),
    async () => {
      const id = await shop.customPayment();
      expect(await shop.checkout(id)).not.toHaveProperty('capture');
      const { secret } = accessOf(await shop.capture(id));
      for (const path of [`/${id}`, `/${id}/checkout`, `/${id}/status`, '']) {
        const answer = await shop.call('GET', `/v1/payments${path}`);
        expect(answer.text).not.toContain(secret);
        expect(answer.text).not.toContain('"capture"');
      }
    },
  );

  test(
    proves('requests with an Origin and preflights get no CORS permission', 'SECRET-04', 'AUTH-02'),
    async () => {
      const id = await shop.customPayment();
      const answer = await shop.call('POST', `/v1/payments/${id}/capture`, undefined, {
        origin: 'https://shop.example',
      });
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      const preflight = await fetch(`${world.baseUrl}/v1/payments/${id}/capture`, {
        method: 'OPTIONS',
        headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
      });
      expect(preflight.status).toBe(401);
      expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    },
  );

  test(
    proves(
      'a capture secret is no API key, an API key no capture secret, and neither works for other payments',
      'SECRET-08',
      'AUTH-11',
    ),
    async () => {
      const [one, two] = await Promise.all([shop.customPayment(), shop.customPayment()]);
      const prepare = async (id: string) => accessOf(await shop.capture(id));
      const [first, second] = await Promise.all([prepare(one), prepare(two)]);
      const bySecret = new Probe(world.baseUrl, first.secret);
      expect((await bySecret.call('GET', `/v1/payments/${one}`)).status).toBe(401);
      await expect(sendCard({ ...first, secret: shop.key }, paidCard)).rejects.toThrow('401');
      await expect(sendCard({ ...second, secret: first.secret }, paidCard)).rejects.toThrow('401');
    },
  );

  test(proves('capturing a card charges nothing and changes nothing', 'FLOW-03', 'VAULT-07'), async () => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id);
    expect(card).toMatchObject({ cardToken: expect.any(String), captureReference: expect.any(String) });
    expect(await charges(id)).toEqual([]);
    expect(await shop.status(id)).toMatchObject({ status: 'open', attemptsLeft: 5 });
    expect(await shop.read(id)).toMatchObject({ status: 'pending', method: null });
  });

  test(
    proves(
      'a hosted payment, also by default, is 404 for the five capture-flow calls and readable',
      'MODE-01',
      'AMB-09',
    ),
    async () => {
      for (const fields of [{}, { checkoutMode: 'hosted' }]) {
        const id = String((await shop.create(fields)).body.data?.['id']);
        const card = { cardToken: 'x'.repeat(16), captureReference: 'r' };
        for (const answer of [
          await shop.capture(id),
          await shop.pay(id, card),
          await shop.confirm(id),
          await shop.call('GET', `/v1/payments/${id}/checkout`),
          await shop.call('GET', `/v1/payments/${id}/status`),
        ]) {
          expect(refusal(answer)).toEqual([404, 'not_found']);
        }
        expect(await shop.read(id)).toMatchObject({ id, status: 'pending' });
      }
    },
  );

  test(proves('an open checkout has nothing to confirm', 'CSTATE-02', 'CONFIRM-06'), async () => {
    const id = await shop.customPayment();
    expect(await shop.status(id)).toMatchObject({ status: 'open', action: null });
    expect(refusal(await shop.confirm(id))).toEqual([409, 'confirmation_not_required']);
  });

  it(
    proves('while the vault is unavailable an existing access is returned, and a new one is 503', 'AMB-58'),
    async () => {
      const [made, unmade] = await Promise.all([shop.customPayment(), shop.customPayment()]);
      const before = (await shop.capture(made)).body.data?.['capture'];
      vaultGate.closed = true;
      try {
        expect((await shop.capture(made)).body.data?.['capture']).toEqual(before);
        expect(refusal(await shop.capture(unmade))).toEqual([503, 'service_unavailable']);
      } finally {
        vaultGate.closed = false;
      }
      // CAPTURE-18, ERR-15: after the recovery, both calls return the same access.
      const again = await Promise.all([shop.capture(unmade), shop.capture(unmade)]);
      expect(again.map(({ status }) => status)).toEqual([200, 200]);
      expect(again[0]?.body.data?.['capture']).toEqual(again[1]?.body.data?.['capture']);
    },
  );

  it(
    proves('a registration that failed is repeated and gives one access', 'CAPTURE-18', 'RECOVER-01'),
    async () => {
      const id = await shop.customPayment();
      vaultGate.closed = true;
      const failed = await shop.capture(id);
      vaultGate.closed = false;
      expect(refusal(failed)).toEqual([503, 'service_unavailable']);
      const first = await shop.capture(id);
      const second = await shop.capture(id);
      expect(first.status).toBe(200);
      expect(second.body.data?.['capture']).toEqual(first.body.data?.['capture']);
      expect(await shop.read(id)).toMatchObject({ status: 'pending' });
    },
  );
});

describe('a successful pay', () => {
  test(
    proves(
      'is paid in every read, charged once',
      'FLOW-04',
      'FLOW-08',
      'PAY-01',
      'PAY-05',
      'ATTEMPT-02',
      'FENCE-02',
      'CSTATE-05',
      'PSTATE-01',
      'PSTATE-04',
      'FULFILL-02',
    ),
    async () => {
      const { id, answer } = await paidWith(paidCard);
      expect(answer.body.data).toEqual({ status: 'paid', paymentId: id });
      const read = await shop.read(id);
      expect(read).toMatchObject({
        id,
        status: 'paid',
        reference: 'order-1',
        amountCents: 2500,
        currency: 'USD',
        environment: 'sandbox',
        method: 'card',
        refundedCents: 0,
        netCents: 2500,
        failureCode: null,
        failureMessage: null,
        checkoutUrl: null,
        refundedAt: null,
        cardBrand: 'visa',
        cardLast4: '4242',
      });
      const [created, paid] = [Date.parse(String(read['createdAt'])), Date.parse(String(read['paidAt']))];
      expect(paid).toBeGreaterThanOrEqual(created);
      expect(paid).toBeLessThanOrEqual(Date.now());
      expect(await shop.status(id)).toMatchObject({ status: 'paid', action: null });
      expect(await captured(id)).toBe(1);
    },
  );

  test(
    proves(
      'changes the payment and its reads only as documented',
      'PMT-05',
      'PMT-13',
      'PMT-15 to -17',
      'PMT-20 to -24',
      'PMT-26',
      'PMT-27',
      'AMB-20',
      'AMB-21',
      'AMB-23',
      'AMB-38',
      'AMB-40',
    ),
    async () => {
      const id = await shop.customPayment();
      const before = await shop.read(id);
      expect(before).toMatchObject({
        method: null,
        netCents: 0,
        cardBin: null,
        cardIssuer: null,
        cardBrand: null,
        cardLast4: null,
        failureCode: null,
        failureMessage: null,
        paidAt: null,
        refundedAt: null,
        environment: 'sandbox',
      });
      expect(before['checkoutUrl']).toMatch(/^http/);
      await shop.pay(id, await shop.captureCard(id, '5555555555554444'));
      const after = await shop.read(id);
      expect(after).toMatchObject({
        method: 'card',
        netCents: 2500,
        cardBrand: 'mastercard',
        cardLast4: '4444',
        checkoutUrl: null,
      });
      expect('5555555555554444'.startsWith(String(after['cardBin']))).toBe(true);
      expect(Object.keys(after['cardIssuer'] ?? {}).toSorted()).toEqual([
        'bank',
        'category',
        'countryCode',
        'countryName',
        'level',
        'regulated',
        'type',
      ]);
      for (const fixed of ['id', 'createdAt', 'expiresAt', 'environment', 'amountCents', 'reference']) {
        expect(after[fixed]).toEqual(before[fixed]);
      }
    },
  );

  test(
    proves('keeps the checkout URL of the creation readable until the checkout is closed', 'AMB-21'),
    async () => {
      const created = await shop.create({ checkoutMode: 'custom' });
      const id = String(created.body.data?.['id']);
      expect((await shop.read(id))['checkoutUrl']).toBe(created.body.data?.['checkoutUrl']);
      await shop.pay(id, await shop.captureCard(id));
      expect((await shop.read(id))['checkoutUrl']).toBeNull();
    },
  );

  test(
    proves(
      'is followed by 410 for pay and prepare, 409 for confirm, and no further charge',
      'AMB-03',
      'GEN-03',
      'CONFIRM-06',
    ),
    async () => {
      const { id, card } = await paidWith(paidCard);
      expect(await fences(id, card)).toEqual({
        capture: [410, 'checkout_expired'],
        pay: [410, 'checkout_expired'],
        confirm: [409, 'confirmation_not_required'],
      });
      expect(await captured(id)).toBe(1);
    },
  );

  test(proves('revokes capture access at the vault', 'FENCE-01', 'VAULT-09'), async () => {
    const id = await shop.customPayment();
    const access = accessOf(await shop.capture(id));
    await shop.pay(id, await sendCard(access, paidCard));
    await expect(sendCard(access, paidCard)).rejects.toThrow('401');
    expect((await shop.capture(id)).text).not.toContain(access.secret);
  });

  test(
    proves(
      'is one attempt for twenty parallel calls; the others get the fence or the closed checkout',
      'FENCE-05',
      'GEN-03',
    ),
    async () => {
      const id = await shop.customPayment();
      const card = await shop.captureCard(id);
      const answers = await Promise.all(Array.from({ length: 20 }, () => shop.pay(id, card)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect([
          [409, 'payment_in_progress'],
          [410, 'checkout_expired'],
        ]).toContainEqual(refusal(answer));
      }
      expect(await charges(id)).toHaveLength(1);
      expect(await shop.status(id)).toMatchObject({ status: 'paid', attemptsLeft: 5 });
    },
  );
});

describe('a refused pay', () => {
  test(
    proves(
      'is 400 with the field for a wrong shape, uses no attempt and keeps the access',
      'PAY-02',
      'PAY-03',
      'PAY-08',
      'AMB-01',
    ),
    async () => {
      const id = await shop.customPayment();
      const card = await shop.captureCard(id);
      const bodies: [unknown, string][] = [
        [{ ...card, cardToken: 'x'.repeat(15) }, 'cardToken'],
        [{ ...card, cardToken: 'x'.repeat(4097) }, 'cardToken'],
        [{ ...card, cardToken: 5 }, 'cardToken'],
        [{ captureReference: card.captureReference }, 'cardToken'],
        [{ ...card, captureReference: '' }, 'captureReference'],
        [{ ...card, captureReference: 'x'.repeat(32) }, 'captureReference'],
        [{ cardToken: card.cardToken }, 'captureReference'],
        [{ ...card, card_number: paidCard }, 'body'],
        [[], 'body'],
      ];
      for (const [body, field] of bodies) {
        const answer = await shop.call('POST', `/v1/payments/${id}/pay`, body);
        expect([...refusal(answer), answer.body.error?.field]).toEqual([400, 'invalid_request', field]);
      }
      expect(refusal(await shop.call('POST', `/v1/payments/${id}/pay`, '{'))).toEqual([
        400,
        'invalid_request',
      ]);
      expect(await shop.status(id)).toMatchObject({ status: 'open', attemptsLeft: 5 });
      expect((await shop.capture(id)).status).toBe(200);
      expect(await charges(id)).toEqual([]);
      expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    },
  );

  test(
    proves(
      'accepts the shape of tokens of 16 and 4096 characters and rejects them as tokens',
      'LIMIT-15',
      'PAY-12',
    ),
    async () => {
      const id = await shop.customPayment();
      const { captureReference } = await shop.captureCard(id);
      for (const length of [16, 4096]) {
        const answer = await shop.pay(id, { cardToken: 'x'.repeat(length), captureReference });
        expect(refusal(answer)).toEqual([422, 'card_token_rejected']);
      }
      expect(await shop.status(id)).toMatchObject({ status: 'open', attemptsLeft: 5 });
      expect(await shop.read(id)).toMatchObject({ status: 'pending' });
      expect(await charges(id)).toEqual([]);
    },
  );

  test(
    proves(
      'rejects a token of another payment, merchant or environment and charges neither',
      'MODE-05',
      'PAY-06',
      'PAY-07',
      'GEN-03',
    ),
    async () => {
      const mine = await shop.customPayment();
      const { captureReference } = await shop.captureCard(mine);
      for (const other of [shop, cast.b, cast.aLive]) {
        const otherId = await other.customPayment();
        const foreign = await other.captureCard(otherId);
        const before = await other.status(otherId);
        expect(refusal(await shop.pay(mine, foreign))).toEqual([422, 'card_token_rejected']);
        expect(refusal(await shop.pay(mine, { ...foreign, captureReference }))).toEqual([
          422,
          'card_token_rejected',
        ]);
        expect(await charges(mine)).toEqual([]);
        expect(await charges(otherId)).toEqual([]);
        expect(await other.status(otherId)).toEqual(before);
      }
      expect(await shop.status(mine)).toMatchObject({ status: 'open', attemptsLeft: 5 });
    },
  );

  test(proves('rejects the right token with another reference', 'PAY-04', 'AMB-33'), async () => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id);
    const changed = `${card.captureReference.slice(0, -1)}${card.captureReference.endsWith('a') ? 'b' : 'a'}`;
    expect(refusal(await shop.pay(id, { ...card, captureReference: changed }))).toEqual([
      422,
      'card_token_rejected',
    ]);
    expect(await charges(id)).toEqual([]);
  });

  test(
    proves(
      'keeps the access after 422 card_token_rejected, so that a second capture pays',
      'AMB-31',
      'ERR-14',
    ),
    async () => {
      const { id, answer } = await paidWith('4000000000007403');
      expect(refusal(answer)).toEqual([422, 'card_token_rejected']);
      expect(await shop.checkout(id)).toMatchObject({ status: 'open', attemptsLeft: 5 });
      expect((await shop.pay(id, await shop.captureCard(id))).body.data).toMatchObject({ status: 'paid' });
    },
  );

  test(proves('quotes the token in no refusal and no read', 'SECRET-10'), async () => {
    const id = await shop.customPayment();
    const { captureReference } = await shop.captureCard(id);
    const cardToken = 'tok_CANARYcanaryCANARYcanary';
    const answers = [
      await shop.pay(id, { cardToken, captureReference }),
      await shop.call('POST', `/v1/payments/${id}/pay`, { cardToken, captureReference, extra: cardToken }),
      await shop.call('POST', `/v1/payments/${id}/pay`, { cardToken, captureReference, [cardToken]: 1 }),
      await shop.call('POST', `/v1/payments/${id}/${cardToken}`, {}),
      await shop.call('GET', `/v1/payments?${cardToken}=1`),
      await shop.call('POST', `/v1/payments/${id}/pay`, `{"cardToken":"${cardToken}"`),
      await shop.call('GET', `/v1/payments/${id}/checkout`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 400, 400, 404, 400, 400, 200]);
    for (const { text } of answers) expect(text).not.toContain('CANARY');
  });
});

describe('a declined pay', () => {
  test(
    proves(
      'is a 200 with data; checkout failed_retryable, payment pending',
      'ATTEMPT-04',
      'ATTEMPT-05',
      'CSTATE-01',
      'CSTATE-06',
      'PSTATE-02',
      'AMB-04',
      'AMB-39',
    ),
    async () => {
      const { id, answer } = await paidWith(declinedCard);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({ status: 'failed', paymentId: id, attemptsLeft: 4 });
      expect(await shop.status(id)).toMatchObject({
        status: 'failed_retryable',
        attemptsLeft: 4,
        action: null,
      });
      expect(await shop.status(id)).not.toHaveProperty('terminalReason');
      expect(await shop.read(id)).toMatchObject({
        status: 'pending',
        failureCode: null,
        failureMessage: null,
      });
      expect(await captured(id)).toBe(0);
    },
  );

  test(
    proves(
      'can be retried with the same token only, and prepare is 410',
      'PAY-15',
      'FENCE-03',
      'AMB-31',
      'AMB-33',
      'CONFIRM-06',
    ),
    async () => {
      const id = await shop.customPayment();
      const access = accessOf(await shop.capture(id));
      const first = await sendCard(access, '4000000000009995');
      const second = await sendCard(access, paidCard);
      expect((await shop.pay(id, first)).body.data).toMatchObject({ status: 'failed', attemptsLeft: 4 });
      expect(refusal(await shop.pay(id, second))).toEqual([422, 'card_token_rejected']);
      expect(refusal(await shop.capture(id))).toEqual([410, 'checkout_expired']);
      expect(refusal(await shop.confirm(id))).toEqual([409, 'confirmation_not_required']);
      expect(await shop.status(id)).toMatchObject({ status: 'failed_retryable', attemptsLeft: 4 });
      expect((await shop.pay(id, first)).body.data).toMatchObject({ status: 'paid' });
      expect(await captured(id)).toBe(1);
    },
  );

  test(
    proves(
      'exhausts the attempts when it is the fifth; then 410 attempts_exhausted',
      'CLOSE-05',
      'CLOSE-07',
      'PAY-11',
      'PAY-16',
      'CAPTURE-10',
      'CONFIRM-09',
      'LIMIT-12',
      'AMB-05',
      'CHECKOUT-27',
    ),
    async () => {
      const { id, card } = await paidWith(declinedCard);
      for (const attemptsLeft of [3, 2, 1, 0]) {
        expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'failed', attemptsLeft });
        const { status } = await shop.status(id);
        expect(status).toBe(attemptsLeft === 0 ? 'expired' : 'failed_retryable');
      }
      expect(await shop.status(id)).toMatchObject({
        status: 'expired',
        terminalReason: 'attempts_exhausted',
        attemptsLeft: 0,
        action: null,
      });
      expect(await shop.checkout(id)).toMatchObject({
        status: 'expired',
        terminalReason: 'attempts_exhausted',
      });
      expect(await fences(id, card)).toEqual({
        capture: [410, 'attempts_exhausted'],
        pay: [410, 'attempts_exhausted'],
        confirm: [410, 'attempts_exhausted'],
      });
      expect(await shop.read(id)).toMatchObject({
        status: 'failed',
        failureCode: 'card_declined',
        paidAt: null,
      });
      expect(await captured(id)).toBe(0);
    },
  );

  test(
    proves(
      'closes the checkout at once when it is final; then 410 checkout_expired, and the payment stays failed',
      'CLOSE-06',
      'CLOSE-07',
      'PSTATE-05',
      'CSTATE-07',
      'AMB-02',
      'AMB-06',
      'ERR-12',
      'PMT-23',
      'LIMIT-19',
    ),
    async () => {
      const { id, card, answer } = await paidWith(lostCard);
      expect(answer.body.data).toMatchObject({ status: 'failed', failureCode: 'lost_card' });
      expect(await shop.status(id)).toMatchObject({ status: 'expired', terminalReason: 'provider_failed' });
      const failed = await shop.read(id);
      expect(failed).toMatchObject({
        status: 'failed',
        failureCode: 'lost_card',
        netCents: 0,
        checkoutUrl: null,
      });
      expect(await fences(id, card)).toEqual({
        capture: [410, 'checkout_expired'],
        pay: [410, 'checkout_expired'],
        confirm: [410, 'checkout_expired'],
      });
      expect(await shop.read(id)).toEqual(failed);
      expect(await shop.checkout(id)).toMatchObject({ status: 'expired', terminalReason: 'provider_failed' });
    },
  );
});

describe('a customer action', () => {
  test(
    proves(
      'is the same in pay, status and checkout',
      'FLOW-05',
      'ATTEMPT-03',
      'CHECKOUT-12',
      'CHECKOUT-26',
      'STATUS-02 to -05',
      'STATUS-09',
      'PSTATE-03',
      'CSTATE-04',
      'LIMIT-18',
      'SECRET-09',
    ),
    async () => {
      const { id, answer } = await paidWith(challengeCard);
      expect(Object.keys(answer.body.data ?? {}).toSorted()).toEqual([
        'clientSecret',
        'paymentId',
        'publishableKey',
        'status',
      ]);
      const { clientSecret, publishableKey } = jsonData(answer) as Record<string, string>;
      const action = { kind: 'threeDS', clientSecret, publishableKey };
      expect(await shop.status(id)).toEqual({
        paymentId: id,
        status: 'requiresAction',
        attemptsLeft: 5,
        expiresAt: (await shop.read(id))['expiresAt'],
        action,
      });
      expect((await shop.status(id))['action']).toEqual(action);
      const checkout = await shop.checkout(id);
      expect(Object.keys(checkout).toSorted()).toEqual([...checkoutKeys, 'actionUrl'].toSorted());
      expect(await shop.read(id)).toMatchObject({ status: 'requiresAction', method: 'card', paidAt: null });
      await answerChallenge(world, id, 'authenticated');
      expect((await shop.confirm(id)).body.data).toEqual({ status: 'paid', paymentId: id });
      expect((await shop.status(id))['action']).toBeNull();
      expect(await shop.checkout(id)).not.toHaveProperty('actionUrl');
    },
  );

  test(
    proves(
      'has an action URL with another secret than the checkout URL, and a changed one reveals nothing',
      'AMB-61',
      'SECRET-07',
    ),
    async () => {
      const { id } = await paidWith(challengeCard);
      const actionUrl = String((await shop.checkout(id))['actionUrl']);
      const checkoutUrl = String((await shop.read(id))['checkoutUrl']);
      expect(actionUrl).not.toBe(checkoutUrl);
      expect(actionUrl).not.toContain(id);
      expect(checkoutUrl).not.toContain(id);
      const last = actionUrl.slice(-2, -1);
      const changed = await fetch(
        `${actionUrl.slice(0, -2)}${last === 'A' ? 'B' : 'A'}${actionUrl.slice(-1)}`,
        { redirect: 'manual' },
      );
      expect(changed.status).toBe(404);
      expect(await changed.text()).not.toMatch(/2500|25\.00|order-1/);
      const genuine = await fetch(actionUrl, { redirect: 'manual' });
      expect(genuine.status).toBe(303);
    },
  );

  test(
    proves(
      'fences pay and prepare; a confirm before the step is requiresAction again and charges nothing',
      'CAPTURE-12',
      'PAY-10',
      'AMB-35',
      'FLOW-07',
      'CONFIRM-05',
      'FENCE-04',
    ),
    async () => {
      const { id, card, answer } = await paidWith(challengeCard);
      const early = await shop.confirm(id);
      expect(early.body.data).toEqual(answer.body.data);
      expect(await fences(id, card)).toMatchObject({
        capture: [409, 'action_required'],
        pay: [409, 'action_required'],
      });
      expect(await shop.status(id)).toMatchObject({ status: 'requiresAction', attemptsLeft: 5 });
      expect(await captured(id)).toBe(0);
      expect(await shop.read(id)).toMatchObject({ status: 'requiresAction' });
    },
  );

  test(
    proves(
      'is a failed attempt after a failed challenge: payment pending, no action, and the same token may retry',
      'CONFIRM-01',
      'CONFIRM-05',
      'AMB-08',
    ),
    async () => {
      const { id, card } = await paidWith(challengeCard);
      await answerChallenge(world, id, 'failed');
      expect((await shop.confirm(id)).body.data).toMatchObject({ status: 'failed', attemptsLeft: 4 });
      expect(await shop.read(id)).toMatchObject({ status: 'pending', failureCode: null });
      expect(await shop.status(id)).toMatchObject({ status: 'failed_retryable', action: null });
      expect(await shop.checkout(id)).not.toHaveProperty('actionUrl');
      expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'requiresAction' });
      expect(await captured(id)).toBe(0);
    },
  );

  it(proves('is confirmed once at the network by twenty parallel confirms', 'FENCE-06'), async () => {
    const { id } = await paidWith(challengeCard);
    await answerChallenge(world, id, 'authenticated');
    const before = (await networkCalls(world))['confirm'] ?? 0;
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.confirm(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect([
        [409, 'confirmation_in_progress'],
        [409, 'confirmation_not_required'],
      ]).toContainEqual(refusal(answer));
    }
    expect(((await networkCalls(world))['confirm'] ?? 0) - before).toBe(1);
    expect(await captured(id)).toBe(1);
  });

  test(
    proves(
      'is 404 to confirm for a merchant without approval, and the payment does not change',
      'CONFIRM-02',
      'AMB-34',
      'AMB-14',
    ),
    async () => {
      const { id } = await paidWith(challengeCard, cast.u);
      expect(refusal(await cast.u.confirm(id))).toEqual([404, 'not_found']);
      expect(await cast.u.status(id)).toMatchObject({ status: 'requiresAction' });
    },
  );

  test(
    proves('is confirmed by {} only; any other body is 400 without effect', 'CONFIRM-04', 'AMB-01'),
    async () => {
      const { id } = await paidWith(challengeCard);
      await answerChallenge(world, id, 'authenticated');
      for (const body of ['{', '{"a":1}', '[]', 'null', '']) {
        const answer = await shop.call('POST', `/v1/payments/${id}/confirm`, body, {
          'content-type': 'application/json',
        });
        expect(refusal(answer)).toEqual([400, 'invalid_request']);
      }
      expect(await captured(id)).toBe(0);
      expect((await shop.confirm(id)).body.data).toMatchObject({ status: 'paid' });
    },
  );
});

describe('an attempt under way', () => {
  it(
    proves(
      'a running attempt is processing and fenced',
      'CSTATE-03',
      'CAPTURE-11',
      'CAPTURE-14',
      'PAY-10',
      'AMB-35',
      'ERR-10',
      'ERR-11',
    ),
    async () => {
      const id = await shop.customPayment();
      const card = await shop.captureCard(id);
      const held = networkGate.hold(/^POST \/v1\/charges$/);
      const paying = shop.pay(id, card);
      await eventually(async () => (held.arrived() === 1 ? true : undefined));
      expect(await shop.status(id)).toMatchObject({ status: 'processing', action: null, attemptsLeft: 5 });
      expect(await shop.checkout(id)).toMatchObject({ status: 'processing' });
      expect(await fences(id, card)).toEqual({
        capture: [409, 'payment_in_progress'],
        pay: [409, 'payment_in_progress'],
        confirm: [409, 'confirmation_not_required'],
      });
      expect(Object.keys((await shop.capture(id)).body)).toEqual(['error']);
      expect(await shop.read(id)).toMatchObject({ status: 'pending' });
      held.release();
      expect((await paying).body.data).toMatchObject({ status: 'paid' });
      expect(await charges(id)).toHaveLength(1);
    },
  );

  test(proves('a running confirmation is processing and fenced', 'CONFIRM-07', 'ERR-10'), async () => {
    const { id, card } = await paidWith(challengeCard);
    await answerChallenge(world, id, 'authenticated');
    const held = networkGate.hold(new RegExp(`${id}.*/confirm$`));
    const confirming = shop.confirm(id);
    await eventually(async () => (held.arrived() === 1 ? true : undefined));
    await statusIs(id, 'processing');
    expect(await fences(id, card)).toEqual({
      capture: [409, 'payment_in_progress'],
      pay: [409, 'payment_in_progress'],
      confirm: [409, 'confirmation_in_progress'],
    });
    expect(await shop.read(id)).toMatchObject({ status: 'requiresAction' });
    held.release();
    expect((await confirming).body.data).toMatchObject({ status: 'paid' });
    expect(await captured(id)).toBe(1);
  });

  test(
    proves(
      "an unknown result is 503, then result_pending in every call, then the network's outcome",
      'FENCE-07',
      'CAPTURE-13',
      'CONFIRM-08',
      'PAY-13',
      'AMB-36',
      'PSTATE-10',
      'PSTATE-11',
      'ERR-18',
      'RECOVER-02',
    ),
    async () => {
      const id = await shop.customPayment();
      const card = await shop.captureCard(id);
      await injectFault(world, 'lostResponse', id);
      const held = networkGate.hold(new RegExp(`^GET /v1/charges/${id}`));
      const paying = await shop.pay(id, card);
      expect(refusal(paying)).toEqual([503, 'service_unavailable']);
      expect(await shop.status(id)).toMatchObject({ status: 'processing', action: null });
      expect(await shop.read(id)).toMatchObject({ status: 'pending' });
      expect(await fences(id, card)).toEqual({
        capture: [409, 'result_pending'],
        pay: [409, 'result_pending'],
        confirm: [409, 'result_pending'],
      });
      held.release();
      await paymentIs(id, 'paid');
      expect(await charges(id)).toHaveLength(1);
    },
  );

  it(
    proves(
      'a hundred reads of every kind make no call to the network, and work while it is down',
      'PSTATE-12',
    ),
    async () => {
      const waiting = (await paidWith(challengeCard)).id;
      const open = await shop.customPayment();
      const before = await networkCalls(world);
      networkGate.closed = true;
      try {
        for (let turn = 0; turn < 25; turn += 1) {
          const paths = [waiting, open].flatMap((id) => [
            `/${id}`,
            `/${id}/checkout`,
            `/${id}/status`,
            '?perPage=2',
          ]);
          const answers = await Promise.all(paths.map((path) => shop.call('GET', `/v1/payments${path}`)));
          expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
        }
      } finally {
        networkGate.closed = false;
      }
      expect(await networkCalls(world)).toEqual(before);
    },
  );

  it(
    proves(
      'with the network refusing connections pay is 503 and charges nothing; later the same card pays',
      'ERR-15',
      'PAY-09',
      'AMB-12',
    ),
    async () => {
      const id = await shop.customPayment();
      const card = await shop.captureCard(id);
      vaultGate.closed = true;
      const answer = await shop.pay(id, card);
      vaultGate.closed = false;
      expect(refusal(answer)).toEqual([503, 'service_unavailable']);
      expect(await charges(id)).toEqual([]);
      expect(await shop.status(id)).toMatchObject({ status: 'open', attemptsLeft: 5 });
      expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    },
  );

  it(
    proves(
      'action, access and outcome survive a restart of the worker',
      'STATUS-08',
      'CAPTURE-07',
      'STATUS-05',
    ),
    async () => {
      const { id } = await paidWith(challengeCard);
      const open = await shop.customPayment();
      const [status, access] = [await shop.status(id), (await shop.capture(open)).body.data?.['capture']];
      await world.stopWorker();
      try {
        expect(await shop.status(id)).toEqual(status);
      } finally {
        await world.startWorker();
      }
      expect(await shop.status(id)).toEqual(status);
      expect((await shop.capture(open)).body.data?.['capture']).toEqual(access);
      await answerChallenge(world, id, 'authenticated');
      expect((await shop.confirm(id)).body.data).toMatchObject({ status: 'paid' });
    },
  );

  test(
    proves('a decline after an approved challenge is failed, with attempts left', 'CONFIRM-05'),
    async () => {
      const { id } = await paidWith('4000008400001629');
      await answerChallenge(world, id, 'authenticated');
      expect((await shop.confirm(id)).body.data).toMatchObject({
        status: 'failed',
        failureCode: 'authentication_failed',
        attemptsLeft: 4,
      });
    },
  );

  test(proves('every outcome of the network is one of the three results', 'FLOW-04', 'AMB-04'), async () => {
    const results: unknown[] = [];
    for (const outcome of ['captured', 'declined', 'failed', 'requires_action'] as const) {
      const id = await shop.customPayment();
      await simulateOutcome(world, id, 1, outcome);
      results.push((await shop.pay(id, await shop.captureCard(id))).body.data?.['status']);
    }
    expect(results).toEqual(['paid', 'failed', 'failed', 'requiresAction']);
  });
});
