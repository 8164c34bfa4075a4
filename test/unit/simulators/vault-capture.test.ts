import { TEST_CARD_NUMBERS } from '../../../simulators/test-cards.ts';
import {
  type Answer,
  call,
  cardFields,
  luhnNumber,
  rawFiles,
  SERVICE_KEY,
  World,
  type ErrorView,
  type TestSession,
} from '../../support/simulators.ts';
import { proves } from '../../support/proves.ts';

describe('card capture at the vault', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it.each(TEST_CARD_NUMBERS)(
    proves('test number %s gives a token and the reference', 'VAULT-04', 'VAULT-05'),
    async (number) => {
      const session = await world.session();
      const answer = await world.capture(session, number);
      expect(answer.status).toBe(200);
      const { token, reference } = answer.json<{ token: string; reference: string }>();
      expect(token).toMatch(/^tok_[0-9A-Za-z]{43}$/);
      expect(reference).toBe(session.reference);
      expect(Object.keys(answer.json<object>()).toSorted()).toEqual(['reference', 'token']);
    },
  );

  it(proves('the answer is direct, readable by no other origin and not cached', 'VAULT-01'), async () => {
    const session = await world.session();
    const headers = { 'x-cardvault-capture-secret': session.secret, origin: 'https://shop.example' };
    const answer = await call(session.captureUrl, { json: cardFields('4242424242424242'), headers });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it(proves('the header name is case-insensitive', 'VAULT-02'), async () => {
    const session = await world.session();
    const headers = { 'X-CARDVAULT-Capture-Secret': session.secret };
    expect((await call(session.captureUrl, { json: cardFields('4242424242424242'), headers })).status).toBe(
      200,
    );
  });

  it(proves('each use of the secret gives a new token', 'AMB-62'), async () => {
    const session = await world.session();
    const tokens = new Set<string>();
    for (let use = 0; use < 5; use += 1) {
      tokens.add((await world.capture(session, '4242424242424242')).json<{ token: string }>().token);
    }
    expect(tokens.size).toBe(5);
  });

  it.each([
    ['a four-digit year', 'card_expiry_year', { card_expiry_year: '2031' }],
    ['a one-digit month', 'card_expiry_month', { card_expiry_month: '7' }],
    ['month 13', 'card_expiry_month', { card_expiry_month: '13' }],
    ['month 00', 'card_expiry_month', { card_expiry_month: '00' }],
    ['a number month', 'card_expiry_month', { card_expiry_month: 12 }],
    ['letters in the number', 'card_number', { card_number: '4242x24242424242' }],
    ['spaces in the number', 'card_number', { card_number: '4242 4242 4242 4242' }],
    ['full-width digits', 'card_number', { card_number: '４２４２４２４２４２４２４２４２' }],
    ['an empty number', 'card_number', { card_number: '' }],
    ['a missing number', 'card_number', { card_number: undefined }],
    ['a missing code', 'card_cvv', { card_cvv: undefined }],
    ['a missing month', 'card_expiry_month', { card_expiry_month: undefined }],
    ['a missing year', 'card_expiry_year', { card_expiry_year: undefined }],
    ['a code of two digits', 'card_cvv', { card_cvv: '73' }],
    ['a code of four digits on a Visa', 'card_cvv', { card_cvv: '7351' }],
    ['a code of three digits on an Amex', 'card_cvv', { card_number: '378282246310005', card_cvv: '735' }],
    ['a card of an earlier year', 'card_expiry_year', { card_expiry_year: '20' }],
    ['a field too many', 'body', { card_name: 'A' }],
  ])(proves('%s is refused with 400 and the field %s', 'VAULT-03'), async (_case, field, over) => {
    const session = await world.session();
    const answer = await world.capture(session, '4242424242424242', over);
    expect([answer.status, answer.json<ErrorView>().error.field]).toEqual([400, field]);
    expect(answer.text).not.toContain('token');
  });

  it(proves('a card is valid to the end of its month', 'VAULT-03'), async () => {
    const session = await world.session();
    const today = new Date();
    const thisMonth = {
      card_expiry_month: String(today.getUTCMonth() + 1).padStart(2, '0'),
      card_expiry_year: String(today.getUTCFullYear() % 100).padStart(2, '0'),
    };
    expect((await world.capture(session, '4242424242424242', thisMonth)).status).toBe(200);
    const before = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1));
    const lastMonth = {
      card_expiry_month: String(before.getUTCMonth() + 1).padStart(2, '0'),
      card_expiry_year: String(before.getUTCFullYear() % 100).padStart(2, '0'),
    };
    expect((await world.capture(session, '4242424242424242', lastMonth)).status).toBe(400);
  });

  it.each(['not json', '[]', '"x"', '{"card_number":', ''])(
    'a body that is %j is refused with 400',
    async (text) => {
      const session = await world.session();
      const headers = { 'x-cardvault-capture-secret': session.secret, 'content-type': 'application/json' };
      const response = await fetch(session.captureUrl, {
        method: 'POST',
        headers,
        body: text,
        redirect: 'manual',
      });
      expect(response.status).toBe(400);
    },
  );

  it('another content type is refused with 400', async () => {
    const session = await world.session();
    const headers = { 'x-cardvault-capture-secret': session.secret };
    expect(
      (await call(session.captureUrl, { form: { card_number: '4242424242424242' }, headers })).status,
    ).toBe(400);
  });

  it('more than 200 cards for one payment are refused', async () => {
    const session = await world.session();
    await Promise.all(Array.from({ length: 200 }, () => world.capture(session, '4242424242424242')));
    expect((await world.capture(session, '4242424242424242')).status).toBe(429);
  });
});

describe('access to capture', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const post = (
    session: TestSession,
    secret: string | undefined,
    body: unknown = cardFields('4242424242424242'),
  ) =>
    call(session.captureUrl, {
      json: body,
      headers: secret === undefined ? {} : { 'x-cardvault-capture-secret': secret },
    });

  /** Every way to have no access; each returns the answer. */
  const refusals: [string, () => Promise<Answer>][] = [
    ['no secret', async () => post(await world.session(), undefined)],
    ['an empty secret', async () => post(await world.session(), '')],
    ['a wrong secret', async () => post(await world.session(), 'x'.repeat(32))],
    [
      'the secret of another payment',
      async () => post(await world.session(), (await world.session()).secret),
    ],
    [
      'the frame key instead of the secret',
      async () => {
        const session = await world.session();
        return post(session, session.frameKey);
      },
    ],
    ['the service key', async () => post(await world.session(), SERVICE_KEY)],
    [
      'an unknown reference',
      async () => {
        const session = await world.session();
        return post({ ...session, captureUrl: `${session.captureUrl}x` }, session.secret);
      },
    ],
    [
      'an expired session',
      async () => {
        const session = await world.session({ expiresAt: new Date(Date.now() - 1).toISOString() });
        return post(session, session.secret);
      },
    ],
    [
      'a revoked session',
      async () => {
        const session = await world.session();
        await world.service(`/service/sessions/${session.reference}/revoke`, { method: 'POST' });
        return post(session, session.secret);
      },
    ],
    ['a session without a secret', async () => post(await world.session({ secretSha256: undefined }), '')],
    [
      'a wrong secret with a broken body',
      async () => post(await world.session(), 'wrong', { card_number: 1 }),
    ],
  ];

  it.each(refusals)(proves('%s gives the same 401', 'VAULT-02', 'VAULT-09'), async (_case, attempt) => {
    const answer = await attempt();
    expect(answer.status).toBe(401);
    expect(answer.text).toBe(
      '{"error":{"code":"unauthorized","message":"The capture access is not valid."}}',
    );
  });

  it(proves('access ends with expiresAt to the millisecond', 'VAULT-09'), async () => {
    const session = await world.session();
    expect((await post(session, session.secret)).status).toBe(200);
    world.skewMs = 10 * 60_000;
    expect((await post(session, session.secret)).status).toBe(401);
    world.skewMs = 0;
  });

  it('V3: no other card number is accepted, and none is stored or logged', async () => {
    const session = await world.session();
    const numbers = Array.from({ length: 60 }, (_, n) => luhnNumber(n));
    const answers = await Promise.all(numbers.map((number) => world.capture(session, number)));
    expect(
      new Set(answers.map((answer) => `${answer.status} ${answer.json<ErrorView>().error.code}`)),
    ).toEqual(new Set(['422 card_not_supported']));
    const kept =
      (await rawFiles(world)) + world.logs.join('\n') + answers.map((answer) => answer.text).join('');
    expect(numbers.filter((number) => kept.includes(number))).toEqual([]);
  });
});
