import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { useSimulatorProcesses } from '../../support/simulator-processes.ts';
import {
  call,
  cardFields,
  NETWORK_KEY,
  SERVICE_KEY,
  sessionBody,
  type ChargeView,
  type Ledger,
} from '../../support/simulators.ts';

const SECRET = 'capture-secret-of-the-process-test';

/** The simulators as in a stack: processes that are killed, restarted and stopped. */
describe('the simulator processes', () => {
  const { url, port, data, spawn, start, killAmid } = useSimulatorProcesses(['vault', 'network'], (at) => ({
    VAULT_SIM_PORT: String(at.port('vault')),
    VAULT_SIM_DATA_DIR: join(at.data(), 'vault'),
    VAULT_SIM_PUBLIC_URL: at.url('vault'),
    VAULT_SIM_SERVICE_KEY: SERVICE_KEY,
    VAULT_SIM_NETWORK_KEY: NETWORK_KEY,
    NETWORK_SIM_PORT: String(at.port('network')),
    NETWORK_SIM_DATA_DIR: join(at.data(), 'network'),
    NETWORK_SIM_PUBLIC_URL: at.url('network'),
    NETWORK_SIM_SERVICE_KEY: SERVICE_KEY,
    NETWORK_SIM_VAULT_URL: at.url('vault'),
    NETWORK_SIM_VAULT_KEY: NETWORK_KEY,
    NETWORK_SIM_CALLBACK_URL: 'http://127.0.0.1:9/callbacks/network',
    NETWORK_SIM_CALLBACK_SECRET: `whsec_${Buffer.alloc(32, 3).toString('base64')}`,
  }));

  const capture = async (
    reference: string,
    number: string,
  ): Promise<{ paymentId: string; token: string }> => {
    const body = sessionBody(SECRET, 'frame-key');
    await call(`${url('vault')}/service/sessions/${reference}`, {
      method: 'PUT',
      json: body,
      key: SERVICE_KEY,
    });
    const headers = { 'x-cardvault-capture-secret': SECRET };
    const answer = await call(`${url('vault')}/capture/${reference}`, { json: cardFields(number), headers });
    return { paymentId: body.paymentId, token: answer.json<{ token: string }>().token };
  };
  const charge = (paymentId: string, token: string, attempt: number) =>
    call(`${url('network')}/v1/charges`, {
      key: SERVICE_KEY,
      headers: { 'idempotency-key': `${paymentId}:${attempt}` },
      json: {
        paymentId,
        attemptId: `${paymentId}-${attempt}`,
        merchantId: 'mer_1',
        environment: 'sandbox',
        amountCents: 1_999,
        currency: 'USD',
        method: 'card',
        cardToken: token,
        checkoutExpiresAt: '2099-01-01T00:00:00.000Z',
        returnUrl: 'http://127.0.0.1:9/back',
      },
    });
  const ledger = async (paymentId: string) =>
    (await call(`${url('network')}/ledger?paymentId=${paymentId}`)).json<Ledger>().charges;

  it('answered calls survive a kill -9, and unanswered ones are there once', async () => {
    await start('vault');
    const { paymentId, token } = await capture('killed', '4242424242424242');
    const { answered } = await killAmid('network', (attempt) => charge(paymentId, token, attempt));
    const charges = await ledger(paymentId);
    expect(charges).toHaveLength(60);
    const kept = new Set(charges.map(({ chargeId }) => chargeId));
    expect(answered.length).toBeGreaterThan(0);
    const made = answered.map((answer) => answer.json<ChargeView>());
    expect(made.filter(({ chargeId }) => !kept.has(chargeId))).toEqual([]);
  }, 30_000);

  it('a killed vault keeps its sessions and tokens', async () => {
    const vault = await start('vault');
    const { paymentId, token } = await capture('kept', '5555555555554444');
    vault.child.kill('SIGKILL');
    await once(vault.child, 'exit');
    await start('vault');
    const answer = await call(`${url('vault')}/service/sessions/kept/claim`, {
      key: SERVICE_KEY,
      json: { token, paymentId, merchantId: 'mer_1', environment: 'sandbox' },
    });
    expect(answer.json()).toMatchObject({ status: 'accepted', card: { last4: '4444' } });
  }, 30_000);

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends it with exit code 0, also with held connections',
    async (signal) => {
      await start('vault');
      const { child } = await start('network');
      const { paymentId, token } = await capture('held', '4000000000007205');
      const held = charge(paymentId, token, 1).catch(() => 'cut');
      while ((await ledger(paymentId)).length === 0);
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(await held).toBe('cut');
    },
    30_000,
  );

  it('a simulator ends by itself when its parent is gone', async () => {
    const { child } = await start('vault');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  }, 30_000);

  it.each([
    ['vault', 'VAULT_SIM_PORT', undefined],
    ['vault', 'VAULT_SIM_PORT', '70000'],
    ['vault', 'VAULT_SIM_DATA_DIR', ''],
    ['vault', 'VAULT_SIM_PUBLIC_URL', 'vault.example'],
    ['vault', 'VAULT_SIM_SERVICE_KEY', 'short'],
    ['vault', 'VAULT_SIM_ENCRYPTION_KEY', 'AAAA'],
    ['network', 'NETWORK_SIM_VAULT_URL', undefined],
    ['network', 'NETWORK_SIM_CALLBACK_SECRET', 'not-a-webhook-secret'],
  ] as const)(
    '%s with a wrong %s (%s) ends with one line that names it',
    async (name, variable, value) => {
      const simulator = spawn(name, { [variable]: value });
      expect(await once(simulator.child, 'close')).toEqual([1, null]);
      expect(simulator.err.join('')).toMatch(new RegExp(`^${variable} [^\\n]+\\n$`));
    },
    30_000,
  );

  it('a busy port and a damaged journal are reported in one line each', async () => {
    await start('vault');
    const busy = spawn('network', { NETWORK_SIM_PORT: String(port('vault')) });
    expect(await once(busy.child, 'close')).toEqual([1, null]);
    expect(busy.err.join('')).toMatch(/^[^\n]*port is busy[^\n]*\n$/);
    const file = join(data(), 'network', 'ledger.jsonl');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '{"broken\n{"t":"charges","k":"a"}\n');
    const damaged = spawn('network');
    expect(await once(damaged.child, 'close')).toEqual([1, null]);
    expect(damaged.err.join('')).toMatch(/^[^\n]*ledger\.jsonl is damaged[^\n]*\n$/);
  }, 30_000);

  it('its log has JSON lines of templates, without a card, token, secret or address', async () => {
    const vault = await start('vault');
    const network = await start('network');
    const { paymentId, token } = await capture('logged', '4242424242424242');
    await charge(paymentId, token, 1);
    for (const { child } of [vault, network]) {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
    const lines = [...vault.out, ...network.out].join('').trimEnd().split('\n');
    const events = lines.map((line) => (JSON.parse(line) as { event: string }).event);
    expect(new Set(events)).toEqual(new Set(['ready', 'request', 'stopping']));
    expect(lines.join('\n')).toContain('"route":"/v1/charges"');
    for (const secret of ['4242424242424242', token, SECRET, SERVICE_KEY, NETWORK_KEY, paymentId]) {
      expect(lines.join('\n')).not.toContain(secret);
    }
  }, 30_000);
});
