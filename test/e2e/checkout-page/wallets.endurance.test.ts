import type { Browser, Frame, Page } from 'playwright-core';
import { sealCredentials } from '../../../src/connectors/resolve.ts';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { setConnector } from '../../../src/db/merchants/connectors.ts';
import { launchBrowser, openTab, withBrowser } from '../../support/browser.ts';
import { payByCard } from '../../support/card-fields.ts';
import { type RunningCardFrame, startCardFrame } from '../../support/card-frame.ts';
import { freePorts } from '../../support/free-ports.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { PageClient } from '../../support/page-client.ts';
import {
  PciVaultWorld,
  VAULT_KEY,
  VAULT_PASSPHRASE,
  VAULT_PASSWORD,
  VAULT_USER,
} from '../../support/pci-vault-dialect.ts';
import { Shop } from '../../support/shop.ts';
import { call } from '../../support/simulators.ts';
import { SECRET_KEY } from '../../support/stripe-dialect.ts';
import { type World, createWorld } from '../../support/world.ts';

const connectorId = '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a12';

withBrowser('Google Pay on the hosted page of a merchant with a Stripe account', () => {
  let world: World;
  let pair: PciVaultWorld;
  let cardFrame: RunningCardFrame;
  let browser: Browser;
  let shop: Shop;

  beforeAll(async () => {
    pair = await PciVaultWorld.start();
    const [port = 0] = await freePorts(1);
    [world, browser] = await Promise.all([
      createWorld({
        CARD_FRAME_URL: `http://127.0.0.1:${port}`,
        CARD_FRAME_VAULT_URL: pair.url,
        WALLET_FRAME_URL: `http://localhost:${port}`,
        WALLET_FRAME_STRIPE_URL: pair.stripe.url,
      }),
      launchBrowser(),
    ]);
    const { origin: parentOrigin } = new URL(world.baseUrl);
    cardFrame = await startCardFrame({ parentOrigin, vaultUrl: pair.url, stripeUrl: pair.stripe.url }, port);
    const merchantId = await world.merchant();
    const credentials = {
      secretKey: SECRET_KEY,
      publishableKey: 'pk_test_51DialectAccount0',
      webhookSecret: null,
      previousWebhookSecret: null,
      vaultUser: VAULT_USER,
      vaultPassword: VAULT_PASSWORD,
      vaultKey: VAULT_KEY,
      vaultPassphrase: VAULT_PASSPHRASE,
      apiBase: pair.stripe.url,
      vaultBase: pair.url,
    };
    const keyring = createKeyring(world.settings.ENCRYPTION_KEYS, world.settings.LOOKUP_KEYS);
    await setConnector(
      world.database,
      { merchantId, environment: 'sandbox', newId: connectorId, kind: 'stripe', account: 'acct_1' },
      (id) => sealCredentials(keyring, id, credentials),
      byOperator(),
    );
    shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  });
  afterAll(async () => {
    await browser.close();
    await cardFrame.close();
    await world.close();
    await pair.stop();
  });

  const create = async (fields: object = {}) => {
    const { data } = (await shop.create({ ...fields })).body;
    return { id: String(data?.['id']), url: String(data?.['checkoutUrl']) };
  };
  const open = (url: string) => async (look: (page: Page, complaints: string[]) => Promise<void>) => {
    const { page, complaints } = await openTab(browser, { viewport: { width: 390, height: 844 } });
    try {
      await page.route('https://shop.example/**', (route) => route.fulfill({ body: 'Thank you' }));
      await page.goto(url);
      await look(page, complaints);
    } finally {
      await page.context().close();
    }
  };
  const walletFrame = async (page: Page): Promise<Frame> => {
    await page.locator('#wallet.ready').waitFor();
    const found = page.frames().find((frame) => new URL(frame.url()).pathname === '/wallet');
    if (!found) throw new Error('there is no frame of the wallets');
    return found;
  };
  const press = async (page: Page) =>
    (await walletFrame(page)).getByRole('button', { name: 'Google Pay' }).click();
  const ledgerOf = async (id: string) =>
    (await pair.stripe.get(`/ledger?paymentId=${id}`)).json<{ charges: { status: string }[] }>().charges;
  const order = (number: string) =>
    call(`${pair.stripe.url}/simulate/wallet`, { json: { number }, key: SECRET_KEY });

  it('pays with one press of a button above the fold, in a frame apart from the card fields', async () => {
    const { id, url } = await create();
    await open(url)(async (page, complaints) => {
      const frame = await walletFrame(page);
      await page.locator('#card-fields iframe.ready').waitFor();
      const card = page.frames().find((one) => new URL(one.url()).pathname.startsWith('/frame/'));
      expect(new URL(frame.url()).origin).not.toBe(new URL(card?.url() ?? '').origin);
      const box = await page.getByTestId('wallet-buttons').boundingBox();
      expect((box?.y ?? 844) + 48).toBeLessThan(844);
      // The list offers the wallet no second time.
      expect(await page.getByTestId('method-wallet').count()).toBe(0);
      await press(page);
      await page.waitForURL('https://shop.example/ok');
      expect(await shop.read(id)).toMatchObject({
        status: 'paid',
        method: 'wallet',
        cardBrand: 'visa',
        cardLast4: '4242',
      });
      expect(await ledgerOf(id)).toMatchObject([
        { status: 'captured', card: { brand: 'visa', wallet: { type: 'google_pay' } } },
      ]);
      expect(complaints.filter((text) => /Content Security|Permissions|Trusted/.test(text))).toEqual([]);
    });
  });

  it('is declined like a card, and pays at the second press', async () => {
    const { id, url } = await create();
    await order('4000000000000002');
    await open(url)(async (page) => {
      await press(page);
      await page.getByTestId('attempt-failed').waitFor();
      expect((await ledgerOf(id))[0]).toMatchObject({ status: 'declined', card: { last4: '0002' } });
      await press(page);
      await page.waitForURL('https://shop.example/ok');
      expect(await shop.read(id)).toMatchObject({ status: 'paid', method: 'wallet' });
    });
  });

  it("opens the bank's step where the bank asks for one, and pays after it", async () => {
    const { id, url } = await create();
    await order('4000000000003220');
    await open(url)(async (page) => {
      await press(page);
      await page.getByTestId('state-challenge').waitFor();
      await page.frameLocator('iframe').getByTestId('challenge-approve').click();
      await page.waitForURL('https://shop.example/ok');
      expect(await shop.read(id)).toMatchObject({ status: 'paid', method: 'wallet' });
    });
  });

  it('leaves the card where Stripe.js is blocked, without a gap', async () => {
    const { id, url } = await create();
    const { page } = await openTab(browser);
    await page.route('https://shop.example/**', (route) => route.fulfill({ body: 'Thank you' }));
    await page.route(`${pair.stripe.url}/**/stripe.js`, (route) => route.abort());
    await page.goto(url);
    await page.getByTestId('wallet-buttons').waitFor({ state: 'hidden' });
    await payByCard(page);
    await page.waitForURL('https://shop.example/ok');
    expect(await shop.read(id)).toMatchObject({ status: 'paid', method: 'card' });
    await page.context().close();
  });

  it('has no other button for a payment by wallet alone, and charges nothing that no wallet made', async () => {
    const { id, url } = await create({ paymentMethod: 'wallet' });
    await open(url)(async (page) => {
      await walletFrame(page);
      expect(await page.getByTestId('pay').count()).toBe(0);
    });
    const client = new PageClient(url, '');
    const walletToken = await pair.stripe.method('4242424242424242');
    expect(await client.post('pay', { method: 'wallet', walletToken })).toMatchObject({
      status: 422,
      body: { error: { code: 'card_token_rejected' } },
    });
    expect(await client.post('pay', { method: 'wallet' })).toMatchObject({ body: { kind: 'open' } });
    expect(await ledgerOf(id)).toEqual([]);
  });
});
