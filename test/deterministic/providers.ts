import { buildPciVault } from '../../simulators/dialects/pci-vault/pci-vault.ts';
import { buildStripe } from '../../simulators/dialects/stripe/stripe.ts';
import { buildNetwork } from '../../simulators/network/network.ts';
import type { Simulator } from '../../simulators/simulator.ts';
import { buildVault } from '../../simulators/vault/vault.ts';
import { frameFiles } from '../../src/card-frame/files.ts';
import { renderFramePage } from '../../src/card-frame/frame-page.tsx';
import type { StripeCredentials } from '../../src/connectors/credentials.ts';
import type { NetworkKind } from '../chaos/programs.ts';
import { Random } from '../support/harness/random.ts';
import type { SimulatedNetwork } from './network.ts';
import { type Scheduler, newProcess, runIn } from './scheduler.ts';

export const origins = {
  api: 'http://127.0.0.1:7001',
  vault: 'http://127.0.0.1:7002',
  network: 'http://127.0.0.1:7003',
  shop: 'http://127.0.0.1:7004',
  stripe: 'http://127.0.0.1:7005',
  pciVault: 'http://127.0.0.1:7006',
  cardFrame: 'http://127.0.0.1:7007',
  /** Nothing is served there: the simulated customers need only what its script makes. */
  walletFrame: 'http://localhost:7009',
} as const;

export const secrets = {
  vault: 'simulated-vault-service-key',
  network: 'simulated-network-service-key',
  vaultAtNetwork: 'simulated-vault-network-key',
  callback: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};

/** The account at Stripe is in its keys. */
export const stripeAccount = 'acct_0SimulatedAcct00';
export const stripeCredentials: StripeCredentials = {
  secretKey: 'sk_test_50SimulatedAcct00SimulatedSecretKey',
  publishableKey: 'pk_test_50SimulatedAcct00',
  webhookSecret: secrets.callback,
  previousWebhookSecret: null,
  vaultUser: 'simulated',
  vaultPassword: 'simulated-pci-vault-password',
  vaultKey: 'simulated-key',
  vaultPassphrase: 'simulated-pci-vault-passphrase',
  apiBase: origins.stripe,
  vaultBase: origins.pciVault,
};

/** The networks that a seed may play, with their relative frequency: a quarter plays Stripe and PCI Vault. */
const networks = [
  ['tombstone', 3],
  ['horizon', 3],
  ['stripe', 2],
] as const;

/**
 * Longer than a process is frozen, in s, and short enough that a shop that waits for the outcome of a charge
 * that the network never saw is still there.
 */
export const horizonSeconds = 30;

/** Returns the network of a seed. */
export const networkOf = (seed: number): NetworkKind =>
  new Random(Math.imul(seed, 0x9e3779b1) ^ 0x2545f491).weighted(networks);

/** The network that moves the money, and the key with which the harness reads it. */
export const networkAccess = (network: NetworkKind): { networkUrl: string; networkKey: string } =>
  network === 'stripe'
    ? { networkUrl: origins.stripe, networkKey: stripeCredentials.secretKey }
    : { networkUrl: origins.network, networkKey: secrets.network };

/** Starts the simulators, and with Stripe as the network the dialects of Stripe and PCI Vault. */
export async function startProviders(
  network: SimulatedNetwork,
  scheduler: Scheduler,
  { kind, checkoutSeconds }: { kind: NetworkKind; checkoutSeconds: number },
): Promise<void> {
  const common = { dataDir: 'nowhere', now: () => Math.floor(scheduler.nowMs) };
  const encryptionKey = Buffer.alloc(32, 1);
  const start = async (name: keyof typeof origins, build: () => Promise<Simulator>): Promise<void> => {
    const owner = newProcess(name);
    const { app } = await runIn(owner, build);
    await app.ready();
    network.addApp(origins[name], name, owner, app);
  };
  const { vault: serviceKey, vaultAtNetwork } = secrets;
  await start('vault', () =>
    buildVault({
      ...common,
      publicUrl: origins.vault,
      serviceKey,
      networkKey: vaultAtNetwork,
      encryptionKey,
    }),
  );
  await start('network', () =>
    buildNetwork({
      ...common,
      publicUrl: origins.network,
      serviceKey: secrets.network,
      vaultUrl: origins.vault,
      vaultKey: vaultAtNetwork,
      voidsUnseenKeys: kind !== 'horizon',
      callback: { url: `${origins.api}/callbacks/network`, secret: secrets.callback },
    }),
  );
  serveCardFrame(network);
  if (kind !== 'stripe') return;
  const { vaultUser, vaultPassword, vaultKey, vaultPassphrase } = stripeCredentials;
  await start('stripe', () =>
    buildStripe({
      ...common,
      publicUrl: origins.stripe,
      proxyKey: vaultAtNetwork,
      checkoutMs: checkoutSeconds * 1_000,
    }),
  );
  await start('pciVault', () =>
    buildPciVault({
      ...common,
      publicUrl: origins.pciVault,
      user: vaultUser,
      password: vaultPassword,
      key: { name: vaultKey, passphrase: vaultPassphrase },
      proxy: { target: origins.stripe, key: vaultAtNetwork },
      encryptionKey,
    }),
  );
}

/** Serves the card fields of hosted pages whose cards PCI Vault stores. */
function serveCardFrame(network: SimulatedNetwork): void {
  network.add(origins.cardFrame, {
    name: 'card frame',
    process: null,
    answer: async ({ url }) => {
      const capture = {
        url: `${origins.pciVault}/v1/capture/${url.pathname.split('/').at(-1)}`,
        keyHeader: 'x-pcivault-capture-secret',
      };
      const frame = {
        parent: origins.api,
        locale: 'en',
        capture,
        acceptedBrands: [],
        testCardsUrl: null,
      } as const;
      return { status: 200, headers: {}, body: renderFramePage(frame, frameFiles) };
    },
  });
}
