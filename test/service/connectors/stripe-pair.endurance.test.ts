import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jsonData } from '../../support/answers.ts';
import { hasBrowser, launchBrowser, openTab, withBrowser } from '../../support/browser.ts';
import { type RunningCardFrame, startCardFrame } from '../../support/card-frame.ts';
import { freePorts } from '../../support/free-ports.ts';
import { payByCard } from '../../support/card-fields.ts';
import { submitChallenge } from '../../support/challenge.ts';
import {
  PciVaultWorld,
  VAULT_KEY,
  VAULT_PASSPHRASE,
  VAULT_PASSWORD,
  VAULT_USER,
} from '../../support/pci-vault-dialect.ts';
import { dataOf, disputeOf, idOf, refund, untilField } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { LIVE_SECRET_KEY, OTHER_SECRET_KEY, SECRET_KEY } from '../../support/stripe-dialect.ts';
import { type World, createWorld } from '../../support/world.ts';

const admin = join(import.meta.dirname, '../../../dist/src/cli/admin.js');
const webhookSecret = 'whsec_OfTheTestsAlone000000000001';

let world: World;
let pair: PciVaultWorld;
let cardFrame: RunningCardFrame;
let merchantId: string;
let shop: Shop;
let webhookUrl: string;
let connectorId: string;
/** The output of `connector set`. */
let made: unknown;

/** Runs the operator command; returns its output, or the line with which it failed. */
async function run(...args: string[]): Promise<Record<string, unknown> | string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [admin, ...args, '--json'], {
      env: { PATH: process.env['PATH'], ...world.environment },
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr).trim();
  }
}

const place = (environment: string, merchant = merchantId): string[] => [
  ...['--merchant', merchant, '--environment', environment],
];
const credentials = (secretKey = SECRET_KEY, publishableKey = 'pk_test_51DialectAccount'): string[] => [
  ...['--secret-key', secretKey, '--publishable-key', publishableKey],
  ...['--vault-user', VAULT_USER, '--vault-password', VAULT_PASSWORD],
  ...['--vault-key', VAULT_KEY, '--vault-passphrase', VAULT_PASSPHRASE],
  ...['--api-base', pair.stripe.url, '--vault-base', pair.url],
];
const set = (...more: string[]) => run('connector', 'set', '--kind', 'stripe', ...more);

beforeAll(async () => {
  pair = await PciVaultWorld.start();
  const [framePort = 0] = await freePorts(1);
  world = await createWorld({
    REFUND_DELAY_SECONDS: '0',
    CARD_FRAME_URL: `http://127.0.0.1:${framePort}`,
    CARD_FRAME_VAULT_URL: pair.url,
  });
  const { origin: parentOrigin } = new URL(world.baseUrl);
  cardFrame = await startCardFrame({ parentOrigin, vaultUrl: pair.url }, framePort);
  merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  made = await set(...place('sandbox'), ...credentials(), '--webhook-secret', webhookSecret);
  ({ webhookUrl, connectorId } = made as { webhookUrl: string; connectorId: string });
  await fetch(`${pair.stripe.url}/simulate/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: webhookUrl, secret: webhookSecret }),
  });
});
afterAll(async () => {
  await cardFrame.close();
  await world.close();
  await pair.stop();
});

const ordering = { authorization: `Bearer ${SECRET_KEY}`, 'content-type': 'application/json' };
const injectWebhookFault = (order: object) =>
  fetch(`${pair.stripe.url}/simulate/webhooks`, {
    method: 'POST',
    headers: ordering,
    body: JSON.stringify(order),
  });

const secretIn = ({ data }: { data?: Record<string, unknown> }): unknown =>
  (data?.['capture'] as { secret?: string } | undefined)?.secret;

/** Pays a new payment with a card. Returns its id and the answer of pay. */
async function pay(number: string) {
  const id = await shop.customPayment();
  return { id, answer: await shop.pay(id, await shop.captureCard(id, number)) };
}
const ledgerOf = async (id: string) =>
  (await pair.stripe.get(`/ledger?paymentId=${id}`)).json<{ charges: { status: string }[] }>();
const capturedOf = async (id: string): Promise<number> =>
  (await ledgerOf(id)).charges.filter(({ status }) => status === 'captured').length;

const challenged = '4000000000003220';

/** Pays until the customer's step. Returns the payment's id and the address of the step at Stripe. */
const atStep = {
  custom: async () => {
    const { id, answer } = await pay(challenged);
    expect(answer.body.data).toMatchObject({
      status: 'requiresAction',
      clientSecret: expect.stringContaining('_secret_') as string,
      publishableKey: 'pk_test_51DialectAccount',
    });
    const { actionUrl } = (await shop.checkout(id)) as { actionUrl: string };
    const page = await fetch(actionUrl, { redirect: 'manual' });
    return { id, step: page.headers.get('location') ?? '' };
  },
  /** The customer leaves the hosted page at the step. */
  hosted: async () => {
    const { id, checkoutUrl } = dataOf(await shop.create()) as { id: string; checkoutUrl: string };
    const browser = await launchBrowser();
    try {
      const { page } = await openTab(browser);
      await page.goto(checkoutUrl);
      await payByCard(page, challenged);
      const step = await eventually(async () =>
        page
          .frames()
          .map((frame) => frame.url())
          .find((url) => url.startsWith(pair.stripe.url)),
      );
      return { id, step };
    } finally {
      await browser.close();
    }
  },
};

const modes = hasBrowser ? (['custom', 'hosted'] as const) : (['custom'] as const);

describe('a payment of a merchant with a Stripe account', () => {
  it('is paid at Stripe once, with the card that the vault sends there once', async () => {
    const { id, answer } = await pay('4242424242424242');
    expect(answer.body.data).toMatchObject({ status: 'paid' });
    expect(await shop.read(id)).toMatchObject({ status: 'paid', cardBrand: 'visa', cardLast4: '4242' });
    expect(await capturedOf(id)).toBe(1);
    const { rows } = await world.database.query(
      'SELECT provider_reference AS reference FROM attempts WHERE payment_id = $1',
      [id],
    );
    expect(rows).toMatchObject([{ reference: expect.stringMatching(/^pi_/) as string }]);
  });

  it("has the vault's name, header and address", async () => {
    const id = await shop.customPayment();
    const { capture, pciConfig } = jsonData(await shop.capture(id)) as {
      capture: { url: string; secret: string; reference: string };
      pciConfig: { provider: string; captureUrl: string; vaultId: string };
    };
    expect(pciConfig).toMatchObject({ provider: 'pciVault', captureUrl: capture.url });
    expect(capture.url).toBe(`${pair.url}/v1/capture/${pciConfig.vaultId}`);
    // The card frame accepts messages only from the checkout page, so no shop is offered it.
    await run('settings', 'set', ...place('sandbox'), '--hosted-form', 'on');
    expect((await shop.checkout(id))['pciConfig']).not.toHaveProperty('iframeUrl');
    await run('settings', 'set', ...place('sandbox'), '--hosted-form', 'off');
    // The same access each time, also for concurrent calls.
    const again = await Promise.all([shop.capture(id), shop.capture(id)]);
    expect(again.map(({ body }) => secretIn(body))).toEqual([capture.secret, capture.secret]);
  });

  it('gets one secret from many simultaneous prepares', async () => {
    const id = await shop.customPayment();
    const first = await Promise.all(Array.from({ length: 5 }, () => shop.capture(id)));
    const secrets = first.filter(({ status }) => status === 200).map(({ body }) => secretIn(body));
    expect(new Set(secrets).size).toBe(1);
    expect(first.every(({ status }) => status === 200 || status === 503)).toBe(true);
    expect((await shop.pay(id, await shop.captureCard(id))).body.data).toMatchObject({ status: 'paid' });
  });

  it('ends capture access at the vault when its card was used', async () => {
    const id = await shop.customPayment();
    const { capture } = jsonData(await shop.capture(id)) as {
      capture: { url: string; secret: string; reference: string; expiresAt: string };
    };
    await shop.pay(id, await shop.captureCard(id, '4000000000000002'));
    const over = await eventually(async () => {
      const dead = await fetch(capture.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-pcivault-capture-secret': capture.secret },
        body: '{}',
      });
      return dead.status === 401 ? dead.status : undefined;
    });
    expect(over).toBe(401);
  });

  it('has its cards deleted at the vault once none can be charged any more', async () => {
    const { id } = await pay('4242424242424242');
    const { pciConfig } = (await shop.checkout(id)) as { pciConfig: { vaultId: string } };
    const kept = async () =>
      (await pair.ask('GET', '/v1/vault', { user: VAULT_KEY, reference: pciConfig.vaultId })).json<
        Record<string, unknown[]>
      >()[VAULT_KEY]?.length;
    expect(await kept()).toBe(1);
    const { rows } = await world.database.query<{ after: number }>(
      `SELECT extract(epoch FROM c.next_check_at - p.expires_at)::int AS after
       FROM captured_cards c JOIN payments p ON p.id = c.payment_id WHERE p.id = $1`,
      [id],
    );
    expect(rows).toEqual([{ after: 600 }]);
    await world.database.query('UPDATE captured_cards SET next_check_at = now() WHERE payment_id = $1', [id]);
    expect(await eventually(async () => ((await kept()) === 0 ? true : undefined))).toBe(true);
    await eventually(async () => {
      const left = await world.database.query('SELECT FROM captured_cards WHERE payment_id = $1', [id]);
      return left.rowCount === 0 ? true : undefined;
    });
  });

  it('accepts no card of another payment, and uses no attempt for it', async () => {
    const other = await shop.customPayment();
    const card = await shop.captureCard(other);
    const id = await shop.customPayment();
    await shop.capture(id);
    const foreign = await shop.pay(id, card);
    expect(foreign.body.error).toMatchObject({ code: 'card_token_rejected' });
    const mixed = await shop.captureCard(id, '5555555555554444');
    const answer = await shop.pay(id, { ...mixed, cardToken: card.cardToken });
    expect(answer.body.error).toMatchObject({ code: 'card_token_rejected' });
    expect(await shop.status(id)).toMatchObject({ attemptsLeft: 5 });
    expect((await ledgerOf(id)).charges).toEqual([]);
  });

  it('whose answer is lost is resolved by a query, and charged once', async () => {
    const { id, answer } = await pay('4000000000007007');
    expect(answer.status).toBe(503);
    await untilField(shop, `/v1/payments/${id}`, 'status', 'paid');
    expect(await capturedOf(id)).toBe(1);
  });

  it.each(modes)(
    'is paid when the customer completes the challenge and does not return (%s)',
    async (mode) => {
      const { id, step } = await atStep[mode]();
      await submitChallenge(step, 'approve');
      await untilField(shop, `/v1/payments/${id}`, 'status', 'paid');
      expect(await capturedOf(id)).toBe(1);
    },
  );

  it('is paid within five minutes when the customer does not return and no webhook arrives', async () => {
    await injectWebhookFault({ mode: 'lost', type: 'payment_intent.succeeded', count: 1_000 });
    await injectWebhookFault({ mode: 'lost', type: 'charge.succeeded', count: 1_000 });
    const left: { id: string; step: string }[] = [];
    for (const mode of modes) left.push(await atStep[mode]());
    for (const { step } of left) await submitChallenge(step, 'approve');
    for (const { id } of left) {
      await eventually(
        async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined),
        5 * 60_000,
      );
      expect(await capturedOf(id)).toBe(1);
      const lines = world.logs.filter((line) => line.includes(id));
      expect(lines.some((line) => line.includes('step was not confirmed'))).toBe(true);
    }
    await fetch(`${pair.stripe.url}/simulate/webhooks`, { method: 'DELETE', headers: ordering });
  }, 330_000);

  it('is refunded, and shows a dispute of the account', async () => {
    const { id } = await pay('4000000000000259');
    const refunded = await pay('4242424242424242');
    const refundId = idOf(await refund(shop, refunded.id, { amountCents: 700 }));
    await untilField(shop, `/v1/refunds/${refundId}`, 'status', 'succeeded');
    expect(await shop.read(refunded.id)).toMatchObject({ refundedCents: 700 });
    const dispute = await disputeOf(shop, id);
    expect(dispute).toMatchObject({ status: 'needsResponse', reason: 'fraudulent' });
    const staged = await shop.call('PUT', `/v1/disputes/${String(dispute['id'])}/evidence`, {
      evidence: { productDescription: 'winning_evidence' },
    });
    expect(dataOf(staged)).toMatchObject({ status: 'needsResponse' });
  });

  /** Makes a refund like the account's owner in Stripe's dashboard, with none of the service's data in it. */
  const refundAtStripe = async (id: string, amount: number): Promise<void> => {
    const { rows } = await world.database.query<{ intent: string }>(
      'SELECT provider_reference AS intent FROM attempts WHERE payment_id = $1',
      [id],
    );
    const answered = await pair.stripe.post('/v1/refunds', { payment_intent: rows[0]?.intent ?? '', amount });
    expect(answered.status).toBe(200);
  };

  it('shows a refund that was made at Stripe, and refunds no more than the rest', async () => {
    const { id } = await pay('4242424242424242');
    await refundAtStripe(id, 2_000);
    await untilField(shop, `/v1/payments/${id}`, 'refundedCents', 2_000);
    expect((await refund(shop, id, { amountCents: 501 })).status).toBe(422);
    const rest = idOf(await refund(shop, id));
    await untilField(shop, `/v1/refunds/${rest}`, 'status', 'succeeded');
    expect(await shop.read(id)).toMatchObject({ status: 'refunded', refundedCents: 2_500 });
  });

  it('reads fees and payouts by a reconciliation, each once', async () => {
    const { id } = await pay('4242424242424242');
    await fetch(`${pair.stripe.url}/simulate/payouts`, {
      method: 'POST',
      headers: { ...ordering, 'content-type': 'application/json' },
      body: JSON.stringify({ amountCents: 1_700 }),
    });
    const listed = async (query: string) =>
      jsonData(await shop.call('GET', `/v1/movements?${query}`)) as { id: string; occurredAt: string }[];
    const movements = async () => [await listed(`type=fee&paymentId=${id}`), await listed('type=payout')];
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const totals: unknown[] = [];
    const found: unknown[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const to = new Date(Date.now() + turn * 1_000).toISOString();
      const ended = await run('reconcile', 'run', ...place('sandbox'), '--from', from, '--to', to);
      totals.push((ended as { totals: object[] }).totals.at(-1));
      found.push(await movements());
    }
    const [captured] = await listed(`type=captured&paymentId=${id}`);
    expect(found[0]).toMatchObject([
      [{ amountCents: -103, paymentId: id, followsFrom: captured?.id }],
      [{ amountCents: -1_700, paymentId: null }],
    ]);
    expect(found[1]).toEqual(found[0]);
    expect(totals[0]).toMatchObject({ payoutCents: 1_700, feesCents: expect.any(Number) });
  }, 120_000);

  it('shows a refund at Stripe also when no webhook reports it', async () => {
    for (const type of ['refund.created', 'charge.refunded']) {
      await injectWebhookFault({ mode: 'lost', type, count: 1_000 });
    }
    const { id } = await pay('4242424242424242');
    await refundAtStripe(id, 2_500);
    const list = `/v1/refunds?paymentId=${id}`;
    await eventually(
      async () => ((await shop.call('GET', list)).text.includes('made_at_provider') ? true : undefined),
      110_000,
    );
    expect(await shop.read(id)).toMatchObject({ status: 'refunded', refundedCents: 2_500 });
    await fetch(`${pair.stripe.url}/simulate/webhooks`, { method: 'DELETE', headers: ordering });
  }, 150_000);

  it('can be paid again when a charge that waits for its customer is cancelled at Stripe', async () => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id, '4000000000003220');
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'requiresAction' });
    const { rows } = await world.database.query<{ intent: string }>(
      'SELECT provider_reference AS intent FROM attempts WHERE payment_id = $1',
      [id],
    );
    await pair.stripe.post(`/v1/payment_intents/${rows[0]?.intent}/cancel`, {});
    await untilField(shop, `/v1/payments/${id}`, 'status', 'pending');
    expect(await shop.status(id)).toMatchObject({ attemptsLeft: 4 });
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'requiresAction' });
    expect(await capturedOf(id)).toBe(0);
  });

  it.each([
    [{ amountCents: 49 }, 'amountCents'],
    [{ amountCents: 100_000_000 }, 'amountCents'],
    [{ paymentMethod: 'wallet', checkoutMode: 'hosted' }, 'paymentMethod'],
  ])('is refused on create, with nothing sent, for %j', async (fields, field) => {
    const answer = await shop.create({ checkoutMode: 'custom', ...fields });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({ code: 'validation_failed', field });
  });

  it('refuses sandbox simulations: the account has test cards of its own', async () => {
    const { id } = await pay('4242424242424242');
    const answer = await shop.call(
      'POST',
      `/v1/sandbox/payments/${id}/disputes`,
      { reason: 'fraudulent' },
      { 'idempotency-key': `sandbox-order-${id}` },
    );
    expect(answer.body.error).toMatchObject({ code: 'sandbox_not_applicable' });
  });

  it('leaves no secret of its connector in a log', () => {
    const logs = world.logs.join('\n');
    for (const secret of [SECRET_KEY, VAULT_PASSWORD, VAULT_PASSPHRASE, webhookSecret]) {
      expect(logs).not.toContain(secret);
    }
  });
});

withBrowser('the hosted page of a merchant with a Stripe account', () => {
  it('takes the card in fields of a separate origin, sends it straight to the vault, and offers only cards', async () => {
    const browser = await launchBrowser();
    try {
      const created = await shop.create();
      const { id, checkoutUrl } = dataOf(created) as { id: string; checkoutUrl: string };
      const { page, complaints, requests } = await openTab(browser);
      await page.goto(checkoutUrl);
      expect(await page.getByTestId('method-wallet').count()).toBe(0);
      await payByCard(page);
      await untilField(shop, `/v1/payments/${id}`, 'status', 'paid');
      expect(await capturedOf(id)).toBe(1);
      expect(complaints.filter((line) => !line.includes('shop.example'))).toEqual([]);
      const originOf = ({ url }: { url: string }) => new URL(url).origin;
      const framed = requests.filter(({ url }) => url.includes('/frame/'));
      expect(new Set(framed.map(originOf))).toEqual(new Set([cardFrame.url]));
      // Neither the service nor the frame's own server ever receives a card.
      const withCard = requests.filter((request) => /4242 ?4242 ?4242/.test(JSON.stringify(request)));
      expect(withCard.map(originOf)).toEqual([pair.url]);
      expect(world.logs.join('\n')).not.toMatch(/4242 ?4242 ?4242/);
    } finally {
      await browser.close();
    }
  });
});

/** Sends an event to the webhook address of the connector. */
const post = (body: string, signature: string, url = webhookUrl) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body,
  });
const sign = (body: string, secret = webhookSecret, at = Math.floor(Date.now() / 1000)): string =>
  `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
const event = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'payment_intent.succeeded',
  data: { object: { id: 'pi_of_another_account', object: 'payment_intent' } },
});

describe('the webhook address of a connector', () => {
  it('accepts events that Stripe signed just now, also about payments that are not ours', async () => {
    expect((await post(event, sign(event))).status).toBe(204);
  });

  it('accepts an event that is replayed in time, without a second effect', async () => {
    const { id } = await pay('4242424242424242');
    const { rows } = await world.database.query<{ intent: string }>(
      'SELECT provider_reference AS intent FROM attempts WHERE payment_id = $1',
      [id],
    );
    const eventsOf = async () =>
      (await world.database.query('SELECT FROM events WHERE payment_id = $1', [id])).rowCount;
    const before = await eventsOf();
    const known = event.replace('pi_of_another_account', rows[0]?.intent ?? '');
    const signature = sign(known);
    for (let times = 0; times < 3; times += 1) expect((await post(known, signature)).status).toBe(204);
    // A forged event with a valid signature is checked at Stripe and does not change the payment.
    const forged = known.replace('payment_intent.succeeded', 'payment_intent.canceled');
    expect((await post(forged, sign(forged))).status).toBe(204);
    expect(await shop.read(id)).toMatchObject({ status: 'paid' });
    expect(await capturedOf(id)).toBe(1);
    expect(await eventsOf()).toBe(before);
  });

  it.each<[string, () => Promise<Response>]>([
    ['a forged signature', () => post(event, sign(event, 'whsec_ofAnotherAccount'))],
    ['another body', () => post(event.replace('pi_of', 'pi_af'), sign(event))],
    ['an old event', () => post(event, sign(event, webhookSecret, Date.now() / 1000 - 400))],
    ['an event of the future', () => post(event, sign(event, webhookSecret, Date.now() / 1000 + 400))],
    ['no signature', () => post(event, '')],
    ['an unknown connector', () => post(event, sign(event), webhookUrl.replace(/[^/]+$/, merchantId))],
    ['no connector at all', () => post(event, sign(event), webhookUrl.replace(/[^/]+$/, 'x'))],
  ])('answers 400 to %s', async (_, send) => {
    expect((await send()).status).toBe(400);
  });
});

describe('the operator command', () => {
  it('prints the account, its abilities, and the webhook address to register', () => {
    expect(made).toMatchObject({ kind: 'stripe', account: 'acct_1DialectAccount0', can: { cards: true } });
    expect(webhookUrl).toBe(`${world.baseUrl}/callbacks/stripe/${connectorId}`);
  });

  it('lists, checks and rotates without showing a secret; both webhook secrets are valid', async () => {
    expect(await run('connector', 'check', ...place('sandbox'))).toMatchObject({
      previousWebhookSecretExpiresAt: null,
    });
    const file = mkdtempSync(join(tmpdir(), 'connector-'));
    writeFileSync(join(file, 'whsec'), 'whsec_AnotherOfTheTests00000001\n');
    const rotated = await run(
      ...['connector', 'rotate', ...place('sandbox'), '--webhook-secret-file', join(file, 'whsec')],
    );
    rmSync(file, { recursive: true });
    expect(rotated).toMatchObject({ connectorId, version: 2, webhookUrl });
    const checked = await run('connector', 'check', ...place('sandbox'));
    expect(checked).toMatchObject({ webhookUrl, webhookSecret: 'set', can: { charges: true } });
    const listed = await run('connector', 'list', ...place('sandbox'));
    expect(listed).toMatchObject({ webhookUrl, connectors: [{ connectorId, active: true }] });
    const { previousWebhookSecretExpiresAt: end } = rotated as { previousWebhookSecretExpiresAt: string };
    expect(Date.parse(end) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(Date.parse(end) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    expect(checked).toMatchObject({ previousWebhookSecretExpiresAt: end });
    for (const secret of [webhookSecret, 'whsec_AnotherOfTheTests00000001'])
      expect((await post(event, sign(event, secret))).status).toBe(204);
    expect(JSON.stringify([rotated, checked, listed])).not.toMatch(/sk_test|whsec|passphrase-of/);
    const { answer } = await pay('4242424242424242');
    expect(answer.body.data).toMatchObject({ status: 'paid' });
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'live keys in the sandbox',
      () => set(...place('sandbox'), ...credentials(LIVE_SECRET_KEY)),
      /secret key is of Stripe's live mode/,
    ],
    [
      'test keys in live',
      () => set(...place('live'), ...credentials()),
      /secret key is of Stripe's test mode/,
    ],
    [
      'a wrong key',
      () => set(...place('sandbox'), ...credentials('sk_test_nonsense')),
      /Stripe does not know the secret key/,
    ],
    [
      'an expired key',
      () => set(...place('sandbox'), ...credentials('sk_test_51DialectAccount0SecretExpired')),
      /the secret key has expired/,
    ],
    [
      'a wrong passphrase',
      () => set(...place('sandbox'), ...credentials(), '--vault-passphrase', 'of-another-account'),
      /PCI Vault does not take/,
    ],
    [
      'an address without a server',
      () => set(...place('sandbox'), ...credentials(), '--api-base', 'http://127.0.0.1:1'),
      /Stripe did not answer/,
    ],
    ['a missing flag', () => set(...place('sandbox'), '--secret-key', SECRET_KEY), /--publishable-key/],
    [
      'a rotation to another account',
      () => run('connector', 'rotate', ...place('sandbox'), '--secret-key', OTHER_SECRET_KEY),
      /use connector set for another account/,
    ],
  ])('names the fault in one line: %s', async (_, call, line) => {
    const message = await call();
    expect(message).toMatch(line);
    expect(message).not.toMatch(/\n|sk_(test|live)_5/);
  });

  it('refuses an account that may not accept live cards', async () => {
    const account = (state: object) =>
      fetch(`${pair.stripe.url}/simulate/account`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${SECRET_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(state),
      });
    await account({ chargesEnabled: false, cardPayments: 'inactive' });
    const message = await set(...place('live'), ...credentials(LIVE_SECRET_KEY, 'pk_live_51DialectAccount'));
    await account({});
    expect(message).toMatch(/may not take live card payments yet/);
  });

  it('routes new payments back to the simulators, and leaves existing ones unchanged', async () => {
    const { id } = await pay('4242424242424242');
    await run('connector', 'set', '--kind', 'simulator', ...place('sandbox'));
    await eventually(async () => {
      const fresh = await shop.customPayment();
      const { pciConfig } = (await shop.checkout(fresh)) as { pciConfig: { provider: string } };
      return pciConfig.provider === 'cardVault' ? true : undefined;
    });
    const refundId = idOf(await refund(shop, id, { amountCents: 100 }));
    await untilField(shop, `/v1/refunds/${refundId}`, 'status', 'succeeded');
    expect(await shop.read(id)).toMatchObject({ refundedCents: 100 });
  });
});
