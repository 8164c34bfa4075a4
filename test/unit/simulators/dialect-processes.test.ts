import { once } from 'node:events';
import { join } from 'node:path';
import { basic } from '../../support/pci-vault-dialect.ts';
import { useSimulatorProcesses } from '../../support/simulator-processes.ts';
import { call, cardFields } from '../../support/simulators.ts';
import { cardForm, PROXY_KEY, SECRET_KEY } from '../../support/stripe-dialect.ts';

const PASSWORD = 'vault-password-of-the-process-test';
const PASSPHRASE = 'vault-passphrase-of-the-process-test';

interface StripeView {
  id: string;
  status: string;
  latest_charge: string;
}

/** The dialects as in a stack: processes that are killed and started again. */
describe('the dialect processes', () => {
  const { url, spawn, start, killAmid } = useSimulatorProcesses(['stripe', 'pci-vault'], (at) => ({
    STRIPE_SIM_PORT: String(at.port('stripe')),
    STRIPE_SIM_DATA_DIR: join(at.data(), 'stripe'),
    STRIPE_SIM_PUBLIC_URL: at.url('stripe'),
    STRIPE_SIM_PROXY_KEY: PROXY_KEY,
    PCI_VAULT_SIM_PORT: String(at.port('pci-vault')),
    PCI_VAULT_SIM_DATA_DIR: join(at.data(), 'pci-vault'),
    PCI_VAULT_SIM_PUBLIC_URL: at.url('pci-vault'),
    PCI_VAULT_SIM_USER: 'merchant-one',
    PCI_VAULT_SIM_PASSWORD: PASSWORD,
    PCI_VAULT_SIM_KEY: 'key-one',
    PCI_VAULT_SIM_PASSPHRASE: PASSPHRASE,
    PCI_VAULT_SIM_PROXY_TARGET: at.url('stripe'),
    PCI_VAULT_SIM_PROXY_KEY: PROXY_KEY,
  }));

  const stripe = (path: string, form?: Record<string, string>, idempotencyKey?: string) =>
    call(url('stripe') + path, {
      key: SECRET_KEY,
      ...(form ? { form } : {}),
      headers: {
        'x-card-proxy-key': PROXY_KEY,
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
    });
  const makeMethod = async (): Promise<string> => {
    const { card } = cardForm('4242424242424242') as { card: Record<string, string> };
    const fields = Object.entries(card).map(([name, value]) => [`card[${name}]`, value] as const);
    const answer = await stripe('/v1/payment_methods', { type: 'card', ...Object.fromEntries(fields) });
    return answer.json<StripeView>().id;
  };
  const pay = (method: string, key: string) =>
    stripe(
      '/v1/payment_intents',
      {
        amount: '1999',
        currency: 'usd',
        payment_method: method,
        confirm: 'true',
        'metadata[paymentId]': 'killed',
      },
      key,
    );

  it('Stripe keeps its answers over a kill -9, and every payment once', async () => {
    const methods = new Map<number, string>();
    const { answered, again } = await killAmid(
      'stripe',
      (index) => pay(methods.get(index) ?? '', `killed:${index}`),
      async (indexes) => {
        await Promise.all(indexes.map(async (index) => methods.set(index, await makeMethod())));
      },
    );
    expect(again.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200));
    const ledger = await call(`${url('stripe')}/ledger?paymentId=killed`);
    const { charges } = ledger.json<{ charges: { chargeId: string; status: string }[] }>();
    expect(charges.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 'captured'));
    const kept = new Set(charges.map(({ chargeId }) => chargeId));
    expect(answered.length).toBeGreaterThan(0);
    const intents = answered.map((answer) => answer.json<StripeView>());
    expect(intents.filter((intent) => !kept.has(intent.latest_charge))).toEqual([]);
  }, 60_000);

  it('a vault keeps its endpoints over a kill, and its tokens make payment methods', async () => {
    await start('stripe');
    const vault = await start('pci-vault');
    const account = { authorization: basic('merchant-one', PASSWORD) };
    const unlocked = `user=key-one&passphrase=${PASSPHRASE}`;
    const made = await call(`${url('pci-vault')}/v1/capture?${unlocked}&ttl=PT10M`, {
      method: 'POST',
      headers: account,
    });
    const endpoint = made.json<{ url: string; secret: string }>();
    const capture = async () =>
      (
        await call(url('pci-vault') + endpoint.url, {
          json: cardFields('5555555555554444'),
          headers: { 'x-pcivault-capture-secret': endpoint.secret },
        })
      ).json<{ token: string; reference: string }>();
    const { token, reference } = await capture();
    vault.child.kill('SIGKILL');
    await once(vault.child, 'exit');
    const again = await start('pci-vault');
    expect(await capture()).toMatchObject({ token, reference });
    const query = `${unlocked}&token=${token}&reference=${reference}&synchronous=true`;
    const sent = await call(`${url('pci-vault')}/v1/proxy/post?${query}`, {
      headers: account,
      json: {
        request: {
          url: `${url('stripe')}/v1/payment_methods`,
          headers: [
            { 'Content-Type': 'application/x-www-form-urlencoded' },
            { Authorization: `Bearer ${SECRET_KEY}` },
          ],
          body:
            'type=card&card[number]={{card_number}}&card[exp_month]={{card_expiry_month}}' +
            '&card[exp_year]=20{{card_expiry_year}}',
        },
      },
    });
    expect(sent.json()).toMatchObject({ status_code: 200 });
    again.child.kill('SIGTERM');
    await once(again.child, 'close');
    const log = [...vault.out, ...again.out].join('');
    for (const secret of ['5555555555554444', token, reference, endpoint.secret, PASSWORD, PASSPHRASE]) {
      expect(log).not.toContain(secret);
    }
  }, 60_000);

  it.each([
    ['stripe', 'STRIPE_SIM_PROXY_KEY', 'short'],
    ['stripe', 'STRIPE_SIM_PUBLIC_URL', undefined],
    ['pci-vault', 'PCI_VAULT_SIM_PASSPHRASE', undefined],
    ['pci-vault', 'PCI_VAULT_SIM_PROXY_TARGET', 'stripe.example'],
  ] as const)(
    '%s with a wrong %s (%s) ends with one line that names it',
    async (name, variable, value) => {
      const simulator = spawn(name, { [variable]: value });
      expect(await once(simulator.child, 'close')).toEqual([1, null]);
      expect(simulator.err.join('')).toMatch(new RegExp(`^${variable} [^\\n]+\\n$`));
    },
    30_000,
  );

  it('SIGTERM ends it with exit code 0, also with a call that is held', async () => {
    const { child } = await start('stripe');
    const fault = { mode: 'timeout', on: 'balance.retrieve' };
    await call(`${url('stripe')}/simulate/faults`, { json: fault, key: SECRET_KEY });
    const held = stripe('/v1/balance').catch(() => 'cut');
    for (let asked = 0; asked === 0;) {
      const { calls } = (await call(`${url('stripe')}/stats`)).json<{ calls: Record<string, number> }>();
      asked = calls['balance.retrieve'] ?? 0;
    }
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await held).toBe('cut');
  }, 30_000);
});
