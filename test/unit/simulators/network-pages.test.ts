import { call, RETURN_URL, SHOP_ORIGIN, until, World, type ChargeView } from '../../support/simulators.ts';

describe('the pages of the network', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const start = async (method: 'wallet' | 'pix', over: Record<string, unknown> = {}) => {
    const session = await world.session();
    const key = `${session.paymentId}:1`;
    const body = world.chargeBody(session, '', { method, cardToken: undefined, ...over });
    const charge = (await world.charge(key, body)).json<ChargeView>();
    const action = charge.action;
    if (!action) throw new Error('no action');
    return { session, key, charge, action, url: action.url };
  };
  const answer = (url: string, result: string) => call(url, { form: { result } });

  it('the challenge page works without a script, shows the amount and asks for no card', async () => {
    const { charge } = await world.pay('4000000000003220');
    const page = await call(charge.action?.url ?? '');
    expect(page.status).toBe(200);
    for (const id of ['challenge-approve', 'challenge-fail', 'challenge-cancel']) {
      expect(page.text).toContain(`data-testid="${id}"`);
    }
    expect(page.text).toContain('$25.00');
    expect(page.text).not.toMatch(/<script|<input|style=/);
    expect(page.text).not.toContain(charge.paymentId);
  });

  it('only the site it returns to, and origins the service named, may frame the challenge page', async () => {
    const plain = await world.pay('4000000000003220');
    const policy = async (url: string) => String((await call(url)).headers['content-security-policy']);
    const csp = await policy(plain.charge.action?.url ?? '');
    expect(csp).toContain(`frame-ancestors ${SHOP_ORIGIN}`);
    expect(csp).toContain(`form-action 'self' ${SHOP_ORIGIN}`);
    expect(csp).toMatch(/^default-src 'none'; /);
    expect(csp).not.toMatch(/unsafe|\*/);
    const embedded = await world.pay('4000000000003220', { ancestorOrigins: ['https://shop.example'] });
    expect(await policy(embedded.charge.action?.url ?? '')).toMatch(
      new RegExp(`frame-ancestors ${SHOP_ORIGIN} https://shop.example$`),
    );
  });

  it('each of the three choices leads back with 303; a failed challenge declines, a cancelled one changes nothing', async () => {
    const failed = await world.pay('4000000000003220');
    const cancelled = await world.pay('4000000000003220');
    const back = [
      await answer(failed.charge.action?.url ?? '', 'fail'),
      await answer(cancelled.charge.action?.url ?? '', 'cancel'),
    ];
    expect(back.map(({ status, headers }) => [status, headers.location])).toEqual([
      [303, RETURN_URL],
      [303, RETURN_URL],
    ]);
    expect(await world.confirm(failed.key)).toMatchObject({
      status: 'declined',
      failureCode: 'authentication_failed',
    });
    expect(await world.confirm(cancelled.key)).toMatchObject({ status: 'requires_action' });
    expect((await call(cancelled.charge.action?.url ?? '')).text).toContain('challenge-approve');
  });

  it('only the first answer to a challenge counts', async () => {
    const { key, charge } = await world.pay('4000000000003220');
    const url = charge.action?.url ?? '';
    await answer(url, 'fail');
    expect((await answer(url, 'approve')).headers.location).toBe(RETURN_URL);
    const page = await call(url);
    expect(page.text).toContain('This step is done');
    expect(page.text).toContain(`href="${RETURN_URL}"`);
    expect(await world.confirm(key)).toMatchObject({ status: 'declined' });
  });

  it('an unknown address and a page of another kind are the same neutral page', async () => {
    const { charge } = await world.pay('4000000000003220');
    const id = (charge.action?.url ?? '').split('/').at(-1) ?? '';
    const pages = await Promise.all(
      ['/challenge/unknown', '/wallet/unknown', '/pix/unknown', `/wallet/${id}`, `/pix/${id}`].map((path) =>
        call(world.networkUrl + path),
      ),
    );
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    expect(pages[0]?.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  it('a return address with quotes cannot break out of the page', async () => {
    const returnUrl = 'http://127.0.0.1:9/return?x="><script>alert(1)</script>';
    const { charge } = await world.pay('4000000000003220', { returnUrl });
    const url = charge.action?.url ?? '';
    await answer(url, 'approve');
    expect((await call(url)).text).not.toContain('<script>');
  });

  it('a wallet starts as requires_action for at most ten minutes, and its approval pays', async () => {
    const { session, key, charge, action, url } = await start('wallet');
    expect(charge).toMatchObject({
      status: 'requires_action',
      method: 'wallet',
      card: null,
      action: { kind: 'wallet' },
    });
    // Measured from the answer, because the charge is a little older than its step.
    const leftMs = 'expiresAt' in action ? Date.parse(action.expiresAt) - Date.now() : Infinity;
    expect(leftMs).toBeLessThanOrEqual(10 * 60_000);
    expect((await call(url)).text).toContain('data-testid="wallet-approve"');
    expect((await answer(url, 'approve')).headers.location).toBe(RETURN_URL);
    expect(await world.lookup(key)).toMatchObject({ status: 'captured', action: null });
    expect((await world.ledger(session.paymentId)).charges).toHaveLength(1);
  });

  it('a wallet never outlives the checkout', async () => {
    const checkoutExpiresAt = new Date(Date.now() + 60_000).toISOString();
    expect((await start('wallet', { checkoutExpiresAt })).action).toMatchObject({
      expiresAt: checkoutExpiresAt,
    });
  });

  it('a declined wallet is wallet_declined, an abandoned one stays open, and an expired one is declined', async () => {
    const declined = await start('wallet');
    await answer(declined.url, 'decline');
    expect(await world.lookup(declined.key)).toMatchObject({
      status: 'declined',
      failureCode: 'wallet_declined',
      retryable: true,
    });
    const left = await start('wallet');
    expect((await answer(left.url, 'cancel')).status).toBe(303);
    expect(await world.lookup(left.key)).toMatchObject({ status: 'requires_action' });
    world.skewMs = 10 * 60_000 + 1_000;
    expect((await answer(left.url, 'approve')).status).toBe(303);
    expect(await world.lookup(left.key)).toMatchObject({
      status: 'declined',
      failureCode: 'wallet_declined',
    });
    world.skewMs = 0;
  });

  it('a wallet that was voided is closed', async () => {
    const { session, key, url } = await start('wallet');
    expect(await world.void(key, session)).toMatchObject({ status: 'voided' });
    expect((await answer(url, 'approve')).status).toBe(404);
    expect(await world.lookup(key)).toMatchObject({ status: 'voided' });
  });

  it('a pix is pending with its code until it is approved or rejected', async () => {
    const { charge, action, key, url } = await start('pix');
    expect(charge).toMatchObject({
      status: 'pending',
      action: { kind: 'pix', code: expect.stringMatching(/^000201.*6304[0-9A-F]{4}$/) },
    });
    expect(action).toMatchObject({ url: expect.stringContaining('/pix/') });
    const page = await call(url);
    expect(page.text).toContain('data-testid="pix-settle"');
    expect(page.text).toContain('data-testid="pix-reject"');
    expect((await answer(url, 'approve')).status).toBe(303);
    expect((await call(url)).text).toContain('This step is done');
    expect(await until(() => world.lookup(key))).toMatchObject({ status: 'captured', action: null });
  });

  it('a rejected pix is pix_rejected, and so is one that is unpaid at the deadline', async () => {
    const rejected = await start('pix');
    await answer(rejected.url, 'decline');
    expect(await world.lookup(rejected.key)).toMatchObject({
      status: 'declined',
      failureCode: 'pix_rejected',
    });
    const forgotten = await start('pix');
    world.skewMs = 31 * 60_000;
    expect(await world.lookup(forgotten.key)).toMatchObject({
      status: 'declined',
      failureCode: 'pix_rejected',
    });
    world.skewMs = 0;
  });
});
