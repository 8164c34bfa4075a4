import { randomBytes } from 'node:crypto';
import {
  call,
  NETWORK_KEY,
  SERVICE_KEY,
  sessionBody,
  sha256,
  World,
  type ErrorView,
} from '../../support/simulators.ts';
import { proves } from '../../support/proves.ts';

const VISA = '4242424242424242';

describe('sessions', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const put = (reference: string, body: unknown) =>
    world.service(`/service/sessions/${reference}`, { method: 'PUT', json: body });
  const newReference = () => randomBytes(15).toString('hex');

  it('a registration returns the capture address, and a repeated one changes nothing', async () => {
    const reference = newReference();
    const body = sessionBody('secret', 'frame-key');
    const first = await put(reference, body);
    expect(first.status).toBe(200);
    expect(first.json()).toEqual({ reference, captureUrl: `${world.vaultUrl}/capture/${reference}` });
    expect((await put(reference, body)).text).toBe(first.text);
  });

  it('another body under a used reference is refused with 409 and does not extend the access', async () => {
    const session = await world.session();
    const later = sessionBody(session.secret, session.frameKey);
    const answer = await put(session.reference, {
      ...later,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect([answer.status, answer.json<ErrorView>().error.code]).toEqual([409, 'session_exists']);
    world.skewMs = 11 * 60_000;
    expect((await world.capture(session, VISA)).status).toBe(401);
    world.skewMs = 0;
  });

  it('a repeated registration does not bring a revoked session back', async () => {
    const reference = newReference();
    const body = sessionBody('secret', 'frame-key');
    await put(reference, body);
    await world.service(`/service/sessions/${reference}/revoke`, { method: 'POST' });
    expect((await put(reference, body)).status).toBe(200);
    const headers = { 'x-cardvault-capture-secret': 'secret' };
    expect((await call(`${world.vaultUrl}/capture/${reference}`, { json: {}, headers })).status).toBe(401);
  });

  it('revoking twice has one effect, and an unknown reference is 404', async () => {
    const { reference } = await world.session();
    const revoke = (of: string) => world.service(`/service/sessions/${of}/revoke`, { method: 'POST' });
    expect([(await revoke(reference)).status, (await revoke(reference)).status]).toEqual([204, 204]);
    expect((await revoke('unknown')).status).toBe(404);
  });

  it.each([
    ['paymentId', { paymentId: '' }],
    ['mode', { mode: 'both' }],
    ['environment', { environment: 'test' }],
    ['secretSha256', { secretSha256: 'abc' }],
    ['secretSha256', { secretSha256: undefined, frameKeySha256: undefined }],
    ['expiresAt', { expiresAt: 'tomorrow' }],
    ['allowedOrigin', { allowedOrigin: 'https://shop.example/path' }],
    ['allowedOrigin', { allowedOrigin: "https://shop.example; script-src 'unsafe-inline'" }],
    ['ancestorOrigins.0', { ancestorOrigins: ['*'] }],
  ])('a wrong %s is refused with 400 (%j)', async (field, over) => {
    const answer = await put(newReference(), { ...sessionBody('secret', 'frame-key'), ...over });
    expect([answer.status, answer.json<ErrorView>().error.field]).toEqual([400, field]);
  });

  it.each(['x'.repeat(32), 'a.b', 'a%2Fb'])('the reference %s is refused with 400', async (reference) => {
    expect((await put(reference, sessionBody('secret', 'frame-key'))).status).toBe(400);
  });

  it.each([undefined, 'wrong', '', NETWORK_KEY])(
    'the service side refuses the key %s with 401 JSON',
    async (key) => {
      const answer = await call(`${world.vaultUrl}/service/sessions/r`, {
        method: 'PUT',
        json: sessionBody('secret', 'frame-key'),
        ...(key === undefined ? {} : { key }),
      });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      expect(answer.json<ErrorView>().error.code).toBe('unauthorized');
    },
  );
});

describe('claiming a token', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it('V4: a token of another payment, merchant, environment or session is rejected', async () => {
    const { session, token } = await world.token(VISA);
    const other = await world.session();
    const rejected = { status: 'rejected', reason: 'unknown_token' };
    expect(await world.claim(session, token, { paymentId: other.paymentId })).toEqual(rejected);
    expect(await world.claim(session, token, { merchantId: 'mer_2' })).toEqual(rejected);
    expect(await world.claim(session, token, { environment: 'live' })).toEqual(rejected);
    expect(await world.claim(other, token)).toEqual(rejected);
    expect(await world.claim({ ...session, reference: 'unknown' }, token)).toEqual(rejected);
    expect(await world.claim(session, `tok_${'a'.repeat(43)}`)).toEqual(rejected);
    expect(await world.claim(session, token)).toMatchObject({ status: 'accepted' });
  });

  it(proves('accepting in mode single ends capture', 'VAULT-09'), async () => {
    const { session, token } = await world.token(VISA);
    expect((await world.capture(session, VISA)).status).toBe(200);
    await world.claim(session, token);
    expect((await world.capture(session, VISA)).status).toBe(401);
  });

  it(
    proves('after an accepted token the same one is accepted again and every other is rejected', 'FENCE-03'),
    async () => {
      const { session, token } = await world.token(VISA);
      const second = (await world.capture(session, VISA)).json<{ token: string }>().token;
      const accepted = await world.claim(session, token);
      expect(await world.claim(session, second)).toEqual({ status: 'rejected', reason: 'other_card_bound' });
      expect(await world.claim(session, token)).toEqual(accepted);
    },
  );

  it('concurrent claims of two tokens accept exactly one of them', async () => {
    const { session, token } = await world.token(VISA);
    const second = (await world.capture(session, VISA)).json<{ token: string }>().token;
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, n) => world.claim(session, n % 2 === 0 ? token : second)),
    );
    expect(claims.filter(({ status }) => status === 'accepted')).toHaveLength(10);
    expect(new Set(claims.map(({ status }, n) => `${n % 2} ${status}`)).size).toBe(2);
  });

  it('mode multi accepts every token of the session and capture continues', async () => {
    const { session, token } = await world.token(VISA, { mode: 'multi' });
    const second = (await world.capture(session, '5555555555554444')).json<{ token: string }>().token;
    expect(await world.claim(session, token)).toMatchObject({ status: 'accepted', card: { brand: 'visa' } });
    expect(await world.claim(session, second)).toMatchObject({
      status: 'accepted',
      card: { brand: 'mastercard' },
    });
    expect((await world.capture(session, VISA)).status).toBe(200);
  });

  it('card 4000000000007403 is rejected and leaves the session open for another card', async () => {
    const { session, token } = await world.token('4000000000007403');
    expect(await world.claim(session, token)).toEqual({ status: 'rejected', reason: 'refused_by_vault' });
    const second = (await world.capture(session, VISA)).json<{ token: string }>().token;
    expect(await world.claim(session, second)).toMatchObject({ status: 'accepted' });
  });

  it(
    proves('a token is claimed after the capture window, until 40 minutes after the session began', 'AMB-32'),
    async () => {
      const { session, token } = await world.token(VISA);
      await world.service(`/service/sessions/${session.reference}/revoke`, { method: 'POST' });
      world.skewMs = 39 * 60_000;
      expect(await world.claim(session, token)).toMatchObject({ status: 'accepted' });
      world.skewMs = 40 * 60_000;
      expect(await world.claim(session, token)).toEqual({ status: 'rejected', reason: 'unknown_token' });
      world.skewMs = 0;
    },
  );

  it('an accepted token stays the only one after a restart of the vault', async () => {
    const { session, token } = await world.token(VISA);
    const second = (await world.capture(session, VISA)).json<{ token: string }>().token;
    await world.claim(session, token);
    await world.vault.close();
    await world.startVault();
    expect(await world.claim(session, second)).toEqual({ status: 'rejected', reason: 'other_card_bound' });
    expect(await world.claim(session, token)).toMatchObject({ status: 'accepted', card: { last4: '4242' } });
    expect(
      (
        await world.capture(
          { ...session, captureUrl: `${world.vaultUrl}/capture/${session.reference}` },
          VISA,
        )
      ).status,
    ).toBe(401);
  });
});

describe('the network side of the vault', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const reveal = (json: unknown, key = NETWORK_KEY) =>
    call(`${world.vaultUrl}/network/cards/reveal`, { json, key });

  it('returns the card of a token to the network only, and reports once that there is a security code', async () => {
    const { session, token } = await world.token(VISA);
    const { paymentId } = session;
    expect((await reveal({ token, paymentId }, SERVICE_KEY)).status).toBe(401);
    const first = await reveal({ token, paymentId });
    expect(first.json()).toMatchObject({ number: VISA, expMonth: '12', cvvPresent: true });
    expect((await reveal({ token, paymentId })).json()).toMatchObject({ number: VISA, cvvPresent: false });
  });

  it('refuses tokens of another payment, invented ones and those of the rejected card', async () => {
    const { session, token } = await world.token(VISA);
    const rejected = await world.token('4000000000007403');
    const answers = [
      await reveal({ token, paymentId: 'other' }),
      await reveal({ token: `${token}x`, paymentId: session.paymentId }),
      await reveal({ token: rejected.token, paymentId: rejected.session.paymentId }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('V2: the security code is deleted after ten minutes, and by a restart', async () => {
    const one = await world.token(VISA);
    world.skewMs = 10 * 60_000;
    expect((await reveal({ token: one.token, paymentId: one.session.paymentId })).json()).toMatchObject({
      cvvPresent: false,
    });
    world.skewMs = 0;
    const two = await world.token(VISA);
    await world.vault.close();
    await world.startVault();
    expect((await reveal({ token: two.token, paymentId: two.session.paymentId })).json()).toMatchObject({
      number: VISA,
      cvvPresent: false,
    });
  });
});

describe('faults ordered at the vault', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const order = (json: object) => world.service('/service/faults', { json });
  const claimRaw = (session: Awaited<ReturnType<World['session']>>, token: string, signal?: AbortSignal) => {
    const { paymentId, merchantId, environment } = session;
    return world.service(`/service/sessions/${session.reference}/claim`, {
      json: { token, paymentId, merchantId, environment },
      ...(signal ? { signal } : {}),
    });
  };

  it('lostResponse does the work and cuts the connection; a repeated call returns the result', async () => {
    const { session, token } = await world.token(VISA);
    await order({ mode: 'lostResponse', count: 1, paymentId: session.paymentId });
    await expect(claimRaw(session, token)).rejects.toThrow(/other side closed|terminated/);
    expect((await world.capture(session, VISA)).status).toBe(401);
    expect(await world.claim(session, token)).toMatchObject({ status: 'accepted' });
  });

  it('error and timeout do nothing', async () => {
    const { session, token } = await world.token(VISA);
    await order({ mode: 'error', count: 1, paymentId: session.paymentId });
    await order({ mode: 'timeout', count: 1, paymentId: session.paymentId });
    expect((await claimRaw(session, token)).status).toBe(500);
    await expect(claimRaw(session, token, AbortSignal.timeout(200))).rejects.toThrow(/timeout/);
    expect((await world.capture(session, VISA)).status).toBe(200);
  });

  it('faults apply to registrations too, and each to its own payment only', async () => {
    const body = sessionBody('secret', 'frame-key');
    await order({ mode: 'error', count: 1, paymentId: body.paymentId });
    expect(await world.session()).toMatchObject({ captureUrl: expect.stringContaining('/capture/') });
    const put = () =>
      world.service(`/service/sessions/${sha256('r').slice(0, 20)}`, { method: 'PUT', json: body });
    expect([(await put()).status, (await put()).status]).toEqual([500, 200]);
  });

  it('waiting faults can be read and cleared', async () => {
    await order({ mode: 'slow', count: 3, merchantId: 'mer_1' });
    expect((await world.service('/service/faults')).json()).toEqual({
      faults: [{ mode: 'slow', count: 3, merchantId: 'mer_1' }],
    });
    expect((await world.service('/service/faults', { method: 'DELETE' })).status).toBe(204);
    expect((await world.service('/service/faults')).json()).toEqual({ faults: [] });
  });
});
