import { randomBytes, randomUUID } from 'node:crypto';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { endCaptureAccess } from '../../../src/db/payments/capture-access.ts';
import { loadCheckout } from '../../../src/db/payments/checkouts.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { type CaptureDeps, prepareCapture } from '../../../src/operations/payments/prepare-capture.ts';
import type { ProviderPorts } from '../../../src/providers/connectors.ts';
import { ProviderUnavailable, type VaultClient } from '../../../src/providers/ports.ts';
import { manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { partial } from '../../support/partial.ts';
import { cloneDatabase } from '../../support/world.ts';

/** A key list of one key. */
const key = `1:${randomBytes(32).toString('base64')}`;

/** A vault that makes the secrets itself, like PCI Vault: each registration replaces the one before. */
class MakingVault implements Pick<VaultClient, 'registerSession' | 'revokeSession'> {
  /** The secret with which the vault accepts cards; null: it accepts none. */
  secret: string | null = null;
  registered = 0;
  revoked = 0;
  isDown = false;
  /** Awaited by each registration before the vault processes it. */
  beforeRegistration: (no: number) => Promise<void> = async () => {};

  registerSession = async (): Promise<{ captureUrl: string; secret: string }> => {
    const no = (this.registered += 1);
    await this.beforeRegistration(no);
    this.secret = `secret ${no} ${randomUUID()}`;
    return { captureUrl: 'https://vault.example/v1/capture/1', secret: this.secret };
  };

  revokeSession = async (): Promise<void> => {
    this.revoked += 1;
    if (this.isDown) throw new ProviderUnavailable('vault', true, 'status 503');
    this.secret = null;
  };
}

let database: Database;
let vault: MakingVault;
let id: string;
let nowMs: number;
let deps: CaptureDeps;
beforeEach(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 4, applicationName: 'test' });
  [id = ''] = await manyPayments(database, await ownerOfMany(database), { count: 1, ageSeconds: 60 });
  vault = new MakingVault();
  nowMs = Date.now();
  const ports: Pick<ProviderPorts, 'capture' | 'vault'> = {
    vault: partial<VaultClient>(vault),
    capture: {
      provider: 'pciVault',
      urlOf: () => 'https://vault.example/v1/capture/1',
      frameUrlOf: null,
      walletFrameUrl: null,
      shopsMayFrame: false,
      makesSecrets: true,
      signAncestors: null,
    },
  };
  deps = {
    database,
    keyring: createKeyring(key, key),
    connectors: { portsOf: async () => partial<ProviderPorts>(ports), simulated: [] },
    publicUrl: 'https://pay.example',
    now: () => nowMs,
  };
});
afterEach(() => database.end());

const prepare = async () => {
  const checkout = await loadCheckout(database, id);
  if (checkout === null) throw new Error('the payment has a row');
  return prepareCapture(deps, checkout);
};
const statusOf = async () => (await loadCheckout(database, id))?.access?.status;

it('an end that the vault did not learn of is repeated, also after it was recorded as done', async () => {
  vault.beforeRegistration = async () => {
    // The workflow ends the access, and the vault is notified before the registration reaches it.
    await endCaptureAccess(database, id);
    await database.query(`UPDATE capture_access SET status = 'ended' WHERE payment_id = $1`, [id]);
  };
  vault.isDown = true;
  await expect(prepare()).rejects.toMatchObject({ code: 'checkout_expired' });
  expect(vault.revoked).toBe(1);
  expect(await statusOf()).toBe('ending');
});

it('an end after which the vault was notified is done', async () => {
  vault.beforeRegistration = async () => void (await endCaptureAccess(database, id));
  await expect(prepare()).rejects.toMatchObject({ code: 'checkout_expired' });
  expect([await statusOf(), vault.secret]).toEqual(['ended', null]);
});

it('a registration in whose place another was made never returns a secret that the vault refuses', async () => {
  let resume = (): void => {};
  const paused = new Promise<void>((resolve) => (resume = resolve));
  // The first process is frozen in its call to the vault until the lease has ended.
  vault.beforeRegistration = (no) => (no === 1 ? paused : Promise.resolve());
  const first = prepare();
  first.catch(() => undefined);
  while (vault.registered === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  nowMs += 15_001;
  await expect(prepare()).rejects.toMatchObject({ code: 'service_unavailable' });
  nowMs += 5_000;
  const second = await prepare();
  expect(second.secret).toBe(vault.secret);
  resume();
  await expect(first).rejects.toMatchObject({ code: 'service_unavailable' });
  expect((await prepare()).secret).toBe(vault.secret);
});
