import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPciVault } from '../../simulators/dialects/pci-vault/pci-vault.ts';
import type { Simulator } from '../../simulators/simulator.ts';
import { type Answer, call, cardFields, type CallOptions } from './simulators.ts';
import { PROXY_KEY, StripeWorld } from './stripe-dialect.ts';

export const VAULT_USER = 'merchant-one';
export const VAULT_PASSWORD = 'vault-password-of-the-tests';
export const VAULT_KEY = 'key-one';
export const VAULT_PASSPHRASE = 'vault-passphrase-of-the-tests';

/** A capture endpoint as the vault returns it. */
export interface EndpointView {
  url: string;
  unique_id: string;
  secret: string;
  expires_at?: string;
}

/** Both dialects on free ports and temporary folders; the vault sends cards to that Stripe. */
export class PciVaultWorld {
  readonly dir: string;
  readonly stripe: StripeWorld;
  vault!: Simulator;
  url = '';
  /** Moves the vault's clock forward. */
  skewMs = 0;

  private constructor(dir: string, stripe: StripeWorld) {
    this.dir = dir;
    this.stripe = stripe;
  }

  static async start(): Promise<PciVaultWorld> {
    const stripe = await StripeWorld.start();
    const world = new PciVaultWorld(await mkdtemp(join(tmpdir(), 'pci-vault-dialect-')), stripe);
    await world.open();
    return world;
  }

  async open(): Promise<void> {
    this.vault = await buildPciVault({
      dataDir: this.dir,
      user: VAULT_USER,
      password: VAULT_PASSWORD,
      key: { name: VAULT_KEY, passphrase: VAULT_PASSPHRASE },
      proxy: { target: this.stripe.url, key: PROXY_KEY },
      now: () => Date.now() + this.skewMs,
    });
    this.url = await this.vault.listen();
  }

  async restart(): Promise<void> {
    await this.vault.close();
    await this.open();
  }

  async stop(): Promise<void> {
    await this.vault.close();
    await this.stripe.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** A call of the account, with its key and passphrase in the address. */
  ask(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    query: Record<string, string> = {},
    options: CallOptions = {},
  ): Promise<Answer> {
    const address = new URL(path, this.url);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    return call(address.href, {
      method,
      ...options,
      headers: { authorization: basic(VAULT_USER, VAULT_PASSWORD), ...options.headers },
    });
  }

  async endpoint(query: Record<string, string> = {}): Promise<EndpointView> {
    const unlocked = { user: VAULT_KEY, passphrase: VAULT_PASSPHRASE };
    const answer = await this.ask('POST', '/v1/capture', { ...unlocked, ttl: 'PT10M', ...query });
    return answer.json<EndpointView>();
  }

  /** Sends a card to an endpoint as a merchant's backend does. */
  capture(
    endpoint: Pick<EndpointView, 'url' | 'secret'>,
    number: string,
    over: { query?: string; fields?: Record<string, unknown> } = {},
  ): Promise<Answer> {
    return call(this.url + endpoint.url + (over.query ?? ''), {
      json: cardFields(number, over.fields),
      headers: { 'x-pcivault-capture-secret': endpoint.secret },
    });
  }

  async order(fault: Record<string, unknown>): Promise<void> {
    await this.ask('POST', '/simulate/faults', {}, { json: fault });
  }
}

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
