import { Html, html } from '../../../simulators/html.ts';
import { frameLocales, frameTexts } from '../../../src/card-frame/texts.ts';
import { call, cardFields, SHOP_ORIGIN, World, type TestSession } from '../../support/simulators.ts';

describe('the hosted fields page', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const page = (session: TestSession, query = `?parent=${encodeURIComponent(SHOP_ORIGIN)}`) =>
    call(`${world.vaultUrl}/frame/${session.reference}${query}`);

  it('may be framed by the origin of the session only, and runs nothing but its own script', async () => {
    const answer = await page(await world.session());
    expect(answer.status).toBe(200);
    const csp = String(answer.headers['content-security-policy']).split('; ');
    expect(csp).toEqual([
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "connect-src 'self'",
      "img-src 'self'",
      "require-trusted-types-for 'script'",
      "form-action 'none'",
      "base-uri 'none'",
      `frame-ancestors ${SHOP_ORIGIN}`,
    ]);
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(answer.text).not.toMatch(
      /<script(?! src="\/frame\/assets\/frame\.js\?v=[0-9a-f]{12}" integrity="[^"]+" defer><\/script>)|<style| style=| on\w+=/,
    );
  });

  it('outer origins that the service named may frame the framing page', async () => {
    const answer = await page(await world.session({ ancestorOrigins: ['https://shop.example'] }));
    expect(answer.headers['content-security-policy']).toContain(
      `frame-ancestors ${SHOP_ORIGIN} https://shop.example`,
    );
  });

  it('has the three fixed inputs, each with a label, autocomplete and a numeric keyboard', async () => {
    const { text } = await page(await world.session());
    const names = ['card_number', 'card_expiry', 'card_cvv'];
    const tokens = ['cc-number', 'cc-exp', 'cc-csc'];
    const inputs = [...text.matchAll(/<input[^>]*>/g)].map(([input]) => input);
    expect(inputs).toHaveLength(3);
    names.forEach((name, at) => {
      expect(inputs[at]).toContain(`name="${name}"`);
      expect(inputs[at]).toContain(`autocomplete="${tokens[at]}"`);
      expect(inputs[at]).toContain('inputmode="numeric"');
      expect(text).toContain(`<label for="${name}">`);
    });
  });

  it.each(frameLocales)('is available in %s', async (locale) => {
    const { text } = await page(
      await world.session(),
      `?parent=${encodeURIComponent(SHOP_ORIGIN)}&locale=${locale}`,
    );
    expect(text).toContain(`<html lang="${locale}">`);
    expect(text).toContain(frameTexts[locale].number);
  });

  it('uses English for an unsupported language', async () => {
    const { text } = await page(
      await world.session(),
      `?parent=${encodeURIComponent(SHOP_ORIGIN)}&locale="><b>`,
    );
    expect(text).toContain('<html lang="en">');
    expect(text).not.toContain('<b>');
  });

  it('contains no secret of the session', async () => {
    const session = await world.session();
    const { text } = await page(session);
    expect(text).not.toContain(session.secret);
    expect(text).not.toContain(session.frameKey);
    expect(text).not.toContain(session.paymentId);
  });

  it('refuses an unknown reference, a wrong or missing parent and a session without a frame key alike', async () => {
    const session = await world.session();
    const answers = [
      await page({ ...session, reference: 'unknown' }),
      await page(session, '?parent=https%3A%2F%2Fevil.example'),
      await page(session, ''),
      await page(
        session,
        `?parent=${encodeURIComponent(SHOP_ORIGIN)}&parent=${encodeURIComponent(SHOP_ORIGIN)}`,
      ),
      await page(await world.session({ frameKeySha256: undefined })),
    ];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
    expect(
      answers.map(({ headers }) =>
        String(headers['content-security-policy']).includes("frame-ancestors 'none'"),
      ),
    ).toEqual(answers.map(() => true));
  });

  it('serves script and style under addresses with their hash, compressed and cached permanently', async () => {
    const { text } = await page(await world.session());
    const addresses = [...text.matchAll(/(?:src|href)="(\/frame\/assets\/[^"]+)"/g)].map(([, at]) => at);
    expect(addresses).toHaveLength(2);
    for (const address of addresses) {
      const plain = await call(`${world.vaultUrl}${address}`);
      const small = await call(`${world.vaultUrl}${address}`, { headers: { 'accept-encoding': 'br' } });
      expect(plain.headers['cache-control']).toContain('immutable');
      expect(plain.headers['content-type']).toMatch(/^text\/(javascript|css)/);
      expect(small.headers['content-encoding']).toBe('br');
      expect(plain.text).not.toMatch(/innerHTML|eval\(|postMessage\([^;]*'\*'/);
    }
    const stale = await call(`${world.vaultUrl}/frame/assets/frame.js?v=000000000000`);
    expect(stale.headers['cache-control']).not.toContain('immutable');
  });

  it('escapes every inserted text', () => {
    expect(html`<p title="${`"'<&>`}">${new Html('<b>ok</b>')}</p>`.text).toBe(
      '<p title="&quot;&#39;&lt;&amp;&gt;"><b>ok</b></p>',
    );
  });
});

describe('capture from the frame', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const capture = (session: TestSession, headers: Record<string, string>) =>
    call(`${world.vaultUrl}/frame/${session.reference}/capture`, {
      json: cardFields('4242424242424242'),
      headers,
    });

  it('requires the frame key, in sessions of either mode, and no capture secret', async () => {
    for (const over of [{ mode: 'single' }, { mode: 'multi', secretSha256: undefined }]) {
      const session = await world.session(over);
      const answer = await capture(session, {
        'x-cardvault-frame-key': session.frameKey,
        origin: world.vaultUrl,
      });
      expect(answer.json()).toMatchObject({
        reference: session.reference,
        token: expect.stringMatching(/^tok_/),
      });
    }
  });

  it('refuses a wrong key, the capture secret, a foreign page, an expired and a revoked session with one 401', async () => {
    const session = await world.session();
    const expired = await world.session({ expiresAt: new Date(Date.now() - 1).toISOString() });
    const revoked = await world.session();
    await world.service(`/service/sessions/${revoked.reference}/revoke`, { method: 'POST' });
    const key = (of: TestSession) => ({ 'x-cardvault-frame-key': of.frameKey });
    const answers = [
      await capture(session, {}),
      await capture(session, { 'x-cardvault-frame-key': session.secret }),
      await capture(session, { 'x-cardvault-capture-secret': session.secret }),
      await capture(session, { ...key(session), origin: SHOP_ORIGIN }),
      await capture({ ...session, reference: 'unknown' }, key(session)),
      await capture(expired, key(expired)),
      await capture(revoked, key(revoked)),
    ];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['401 {"error":{"code":"unauthorized","message":"The capture access is not valid."}}']),
    );
  });
});
