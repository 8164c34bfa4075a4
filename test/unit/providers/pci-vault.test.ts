import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPciVaultClient, type PciVaultClient } from '../../../src/providers/pci-vault/client.ts';
import { readProxyAnswer } from '../../../src/providers/pci-vault/proxy-answer.ts';
import { ProviderUnavailable } from '../../../src/providers/ports.ts';
import { call, cardFields } from '../../support/simulators.ts';
import { SECRET_KEY } from '../../support/stripe-dialect.ts';
import {
  PciVaultWorld,
  VAULT_KEY,
  VAULT_PASSPHRASE,
  VAULT_PASSWORD,
  VAULT_USER,
} from '../../support/pci-vault-dialect.ts';

const VISA = '4242424242424242';

describe('the PCI Vault client', () => {
  let world: PciVaultWorld;
  let vault: PciVaultClient;
  const clients: PciVaultClient[] = [];

  const clientFor = (over: Partial<Parameters<typeof createPciVaultClient>[0]> = {}): PciVaultClient => {
    const client = createPciVaultClient({
      baseUrl: world.url,
      user: VAULT_USER,
      password: VAULT_PASSWORD,
      key: VAULT_KEY,
      passphrase: VAULT_PASSPHRASE,
      stripe: { apiBase: world.stripe.url, secretKey: SECRET_KEY },
      proxyTimeoutMs: 9_000,
      now: Date.now,
      ...over,
    });
    clients.push(client);
    return client;
  };
  const sessionOf = (reference = randomUUID().slice(0, 31), minutes = 10) => ({
    reference,
    paymentId: 'pay_1',
    merchantId: 'mer_1',
    environment: 'sandbox' as const,
    mode: 'single' as const,
    expiresAt: new Date(Date.now() + minutes * 60_000).toISOString(),
    allowedOrigin: 'https://pay.example',
  });
  const send = (captureUrl: string, secret: string, number: string, fields = {}) =>
    call(captureUrl, {
      json: cardFields(number, fields),
      headers: { 'x-pcivault-capture-secret': secret },
    });
  /** Captures a card for a payment. */
  const captured = async (number: string, fields = {}) => {
    const session = sessionOf();
    const { captureUrl, secret } = await vault.registerSession(session);
    const { token, reference } = (await send(captureUrl, secret, number, fields)).json<{
      token: string;
      reference: string;
    }>();
    return { session, token, reference };
  };
  const claim = (card: { token: string; reference: string }) =>
    vault.claimToken({ ...card, paymentId: 'pay_1', merchantId: 'mer_1', environment: 'sandbox' });

  beforeAll(async () => {
    world = await PciVaultWorld.start();
    vault = clientFor();
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    await world.stop();
  });

  it('makes an endpoint under the reference of the payment, for the remaining time', async () => {
    const session = sessionOf();
    const { captureUrl, secret } = await vault.registerSession(session);
    expect(captureUrl).toBe(`${world.url}/v1/capture/${session.reference}`);
    const answer = await send(captureUrl, secret, VISA);
    expect(answer.json<{ reference: string }>().reference).toBe(session.reference);
    world.skewMs = 10 * 60_000 + 1_000;
    expect((await send(captureUrl, secret, VISA)).status).toBe(401);
    world.skewMs = 0;
  });

  it('makes a new endpoint in a repeated call, so that the lost secret becomes invalid', async () => {
    const session = sessionOf();
    const lost = await vault.registerSession(session);
    const { captureUrl, secret } = await vault.registerSession(session);
    expect((await send(captureUrl, lost.secret, VISA)).status).toBe(401);
    expect((await send(captureUrl, secret, VISA)).status).toBe(200);
  });

  it('ends capture, also in a repeated call', async () => {
    const session = sessionOf();
    const { captureUrl, secret } = await vault.registerSession(session);
    await vault.revokeSession(session.reference);
    await vault.revokeSession(session.reference);
    expect((await send(captureUrl, secret, VISA)).status).toBe(401);
  });

  it("accepts a token of the payment with the card's facts from Stripe", async () => {
    expect(await claim(await captured(VISA))).toEqual({
      status: 'accepted',
      card: {
        brand: 'visa',
        last4: '4242',
        bin: null,
        fingerprint: expect.any(String),
        issuer: {
          bank: null,
          countryCode: 'US',
          countryName: null,
          type: 'credit',
          level: null,
          category: null,
          regulated: 'no',
        },
      },
    });
  });

  it('rejects the token of another payment, an invented one, and the card the vault does not know', async () => {
    const mine = await captured(VISA);
    const other = await captured('5555555555554444');
    const rejected = { status: 'rejected' };
    expect(await claim({ token: other.token, reference: mine.reference })).toEqual(rejected);
    expect(await claim({ token: 'f'.repeat(64), reference: mine.reference })).toEqual(rejected);
    expect(await claim(await captured('4000000000007403'))).toEqual(rejected);
  });

  it('makes one payment method under one key, and none for a token whose card has changed', async () => {
    const session = sessionOf();
    const { captureUrl, secret } = await vault.registerSession(session);
    const { token, reference } = (await send(captureUrl, secret, VISA)).json<{
      token: string;
      reference: string;
    }>();
    const make = (idempotencyKey: string) => vault.makePaymentMethod({ token, reference, idempotencyKey });
    const first = await make('pay_1:1:method');
    expect(first).toMatchObject({ status: 'made', paymentMethod: expect.stringMatching(/^pm_/) });
    expect(await make('pay_1:1:method')).toEqual(first);
    expect(await make('pay_1:2:method')).not.toEqual(first);

    await send(captureUrl, secret, VISA, { card_cvv: '999' });
    expect(await make('pay_1:1:method')).toEqual({ status: 'token_rejected' });
    expect(await claim({ token, reference })).toMatchObject({ status: 'accepted' });
  });

  it('deletes every card of a reference and no other, also in a repeated call', async () => {
    const card = await captured(VISA);
    const other = await captured(VISA);
    await vault.forgetCards(card.reference);
    await vault.forgetCards(card.reference);
    expect(await claim(card)).toEqual({ status: 'rejected' });
    // The same number has the same token, and is still another card.
    expect(other.token).toBe(card.token);
    expect(await claim(other)).toMatchObject({ status: 'accepted' });
  });

  it('does not report cards as deleted before the vault confirms it', async () => {
    const card = await captured(VISA);
    for (const on of ['vault.list', 'vault.delete']) {
      await world.order({ mode: 'error', on });
      await expect(vault.forgetCards(card.reference)).rejects.toThrow(ProviderUnavailable);
    }
    await vault.forgetCards(card.reference);
    expect(await claim(card)).toEqual({ status: 'rejected' });
  });

  it('checks account, key and passphrase, and leaves nothing behind', async () => {
    expect(await vault.check()).toBe('ok');
    expect(await clientFor({ password: 'another-password-0001' }).check()).toBe('refused');
    expect(await clientFor({ passphrase: 'another-passphrase-01' }).check()).toBe('refused');
    expect(await clientFor({ key: 'another-key' }).check()).toBe('refused');
  });

  describe('when the vault does not answer definitely', () => {
    const outcomeOf = (work: Promise<unknown>) =>
      work.then(
        () => 'answered',
        (error: unknown) => error,
      );

    it.each(['timeout', 'noAnswer', 'lostResponse', 'error', 'rateLimited', 'html'])(
      '%s: unavailable, perhaps sent, and the error contains no secret',
      async (mode) => {
        const session = sessionOf();
        const impatient = clientFor({ timeoutMs: 400, proxyTimeoutMs: 400 });
        await world.order({ mode, on: 'capture.create', reference: session.reference });
        const error = await outcomeOf(impatient.registerSession(session));
        expect(error).toBeInstanceOf(ProviderUnavailable);
        expect((error as ProviderUnavailable).sent).toBe(true);
        const text = `${String(error)} ${(error as Error).stack} ${JSON.stringify(error)}`;
        for (const secret of [VAULT_PASSWORD, VAULT_PASSPHRASE, SECRET_KEY, VAULT_USER]) {
          expect(text).not.toContain(secret);
        }
        expect(await vault.registerSession(session)).toHaveProperty('secret');
      },
    );

    it('reports that nothing was sent when no server listens', async () => {
      const error = await outcomeOf(clientFor({ baseUrl: 'http://127.0.0.1:9' }).check());
      expect(error).toMatchObject({ name: 'ProviderUnavailable', sent: false });
    });

    it('does not treat an outage of Stripe as a verdict on the card', async () => {
      const card = await captured(VISA);
      const fault = { mode: 'html', count: 20, on: 'payment_methods.create' };
      await call(`${world.stripe.url}/simulate/faults`, { json: fault, key: SECRET_KEY });
      const impatient = clientFor({ proxyTimeoutMs: 300 });
      expect(
        await outcomeOf(impatient.makePaymentMethod({ ...card, idempotencyKey: randomUUID() })),
      ).toBeInstanceOf(ProviderUnavailable);
      await call(`${world.stripe.url}/simulate/faults`, { method: 'DELETE', key: SECRET_KEY });
    });

    it('does not treat a revoked Stripe key as a verdict on the card', async () => {
      const card = await captured(VISA);
      const stripe = { apiBase: world.stripe.url, secretKey: 'sk_test_51DialectAccount0SecretExpired' };
      const made = clientFor({ stripe }).makePaymentMethod({ ...card, idempotencyKey: randomUUID() });
      expect(await outcomeOf(made)).toMatchObject({ name: 'ProviderUnavailable', sent: true });
    });

    it('stops reading an endless answer', async () => {
      const endless: Server = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const chunk = Buffer.alloc(256 * 1024, 32);
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      });
      await new Promise<void>((resolve) => {
        endless.listen(0, '127.0.0.1', resolve);
      });
      const baseUrl = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
      const error = await outcomeOf(clientFor({ baseUrl }).registerSession(sessionOf()));
      expect(error).toBeInstanceOf(ProviderUnavailable);
      endless.closeAllConnections();
      endless.close();
    });
  });
});

describe('an answer of the proxy', () => {
  const method = {
    id: 'pm_1',
    object: 'payment_method',
    card: { brand: 'visa', last4: '4242', country: null, funding: 'unknown', regulated_status: null },
  };
  const cardError = { error: { type: 'card_error', code: 'incorrect_cvc', decline_code: null } };

  it.each([
    ['in its envelope', { status_code: 200, headers: [], body: JSON.stringify(method) }],
    ['with the status as text', { status: '200', headers: [], body: JSON.stringify(method) }],
    ['by itself', method],
  ])('is read %s', (_how, answer) => {
    expect(readProxyAnswer(answer)).toMatchObject({
      status: 'made',
      paymentMethod: 'pm_1',
      card: { issuer: { type: null, countryCode: null } },
    });
  });

  it('is a decline where the card is refused', () => {
    const answer = { status_code: 402, headers: [], body: JSON.stringify(cardError) };
    expect(readProxyAnswer(answer)).toEqual({
      status: 'declined',
      code: 'incorrect_cvc',
      declineCode: null,
    });
  });

  it.each([
    ['nothing', undefined],
    ['HTML in the envelope', { status_code: 502, body: '<html>' }],
    ['half a body', { status_code: 200, body: '{"id": "pm_' }],
    ['a payment method under another status', { status_code: 500, body: JSON.stringify(method) }],
    ['another object', { status_code: 200, body: JSON.stringify({ ...method, object: 'source' }) }],
    ['an error of another kind', { error: { type: 'api_error' } }],
  ])('proves nothing when it is %s', (_what, answer) => {
    expect(readProxyAnswer(answer)).toBeNull();
  });
});
