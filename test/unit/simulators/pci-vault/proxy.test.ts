import { PciVaultWorld, VAULT_KEY, VAULT_PASSPHRASE } from '../../../support/pci-vault-dialect.ts';
import { call } from '../../../support/simulators.ts';
import { SECRET_KEY } from '../../../support/stripe-dialect.ts';

interface Captured {
  token: string;
  reference: string;
}
interface ProxyView {
  status_code: number;
  body: string;
  headers: Record<string, string>[];
}

describe('the proxy of the PCI Vault dialect', () => {
  let world: PciVaultWorld;
  beforeAll(async () => {
    world = await PciVaultWorld.start();
  });
  afterAll(() => world.stop());

  const captured = async (number: string): Promise<Captured> =>
    (await world.capture(await world.endpoint(), number)).json<Captured>();
  const template = (over: Record<string, unknown> = {}) => ({
    request: {
      method: 'POST',
      url: `${world.stripe.url}/v1/payment_methods`,
      headers: [
        { 'Content-Type': 'application/x-www-form-urlencoded' },
        { Authorization: `Bearer ${SECRET_KEY}` },
      ],
      body:
        'type=card&card[number]={{card_number}}&card[exp_month]={{card_expiry_month}}' +
        '&card[exp_year]=20{{card_expiry_year}}&card[cvc]={{card_cvv}}',
      ...over,
    },
  });
  const proxy = (of: Captured, query: Record<string, string> = {}, json: object = template()) =>
    world.ask(
      'POST',
      '/v1/proxy/post',
      { user: VAULT_KEY, passphrase: VAULT_PASSPHRASE, ...of, synchronous: 'true', ...query },
      { json },
    );

  it('fills a card into a request and returns the answer in an envelope', async () => {
    const { status_code: status, body } = (await proxy(await captured('4242424242424242'))).json<ProxyView>();
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      object: 'payment_method',
      card: { brand: 'visa', last4: '4242', checks: { cvc_check: 'pass' } },
    });
  });

  it('needs token and reference of one card, the key and the passphrase', async () => {
    const [mine, other] = [await captured('4242424242424242'), await captured('5555555555554444')];
    expect((await proxy({ ...mine, reference: other.reference })).status).toBe(404);
    expect((await proxy({ ...mine, token: other.token })).status).toBe(404);
    expect((await proxy(mine, { passphrase: 'another-passphrase' })).status).toBe(401);
    expect((await proxy(await captured('4000000000007403'))).status).toBe(404);
  });

  it('sends a card only to make a payment method, and not without waiting for the answer', async () => {
    const card = await captured('4242424242424242');
    const base = world.stripe.url;
    for (const over of [
      { url: `${base}/v1/payment_intents` },
      { url: `${base}/v1/payment_methods?x=1` },
      { url: 'https://elsewhere.example/v1/payment_methods' },
      { method: 'PUT' },
    ]) {
      expect((await proxy(card, {}, template(over))).status).toBe(403);
    }
    expect((await proxy(card, { synchronous: 'false' })).status).toBe(400);
  });

  it('tries again while Stripe is unavailable', async () => {
    const card = await captured('4242424242424242');
    const fault = { mode: 'unavailable', count: 2, on: 'payment_methods.create' };
    await call(`${world.stripe.url}/simulate/faults`, { json: fault, key: SECRET_KEY });
    expect((await proxy(card)).json<ProxyView>().status_code).toBe(200);
  });

  it('returns a verdict on the card', async () => {
    const answer = await proxy(
      await captured('4242424242424242'),
      {},
      template({ body: 'type=card&card[number]=1' }),
    );
    expect(answer.json<ProxyView>().status_code).toBe(402);
  });

  it('keeps the security code for ten minutes only', async () => {
    const card = await captured('4242424242424242');
    world.skewMs = 10 * 60_000;
    const { body } = (await proxy(card)).json<ProxyView>();
    expect(JSON.parse(body)).toMatchObject({ card: { checks: { cvc_check: null } } });
    world.skewMs = 0;
  });
});
