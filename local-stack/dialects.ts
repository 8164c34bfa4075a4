import { z } from 'zod';
import { type DataDir, type StackSecrets, readJson, writeJson } from './data-dir.ts';
import { StackProblem, reasonOf } from './problem.ts';
import { type Sandbox, type SandboxOptions, admin } from './sandbox.ts';
import { type Entries, localUrl, nodeProgram, simulatorBase } from './services.ts';
import type { DialectPorts } from './stack-ports.ts';
import type { Program } from './supervisor.ts';

/** Longest wait for the dialect, in ms. */
const CALL_MS = 10_000;

/** The sandbox's account at the Stripe dialect; its keys contain it. */
const account = '0SandboxAccount0';

/** The sandbox's access to the PCI Vault dialect. */
const vaultAccount = { user: 'sandbox', key: 'sandbox-key' };

const connectorSchema = z.object({ kind: z.string(), webhookUrl: z.string().nullable() });
const connectedSchema = z.object({ webhookUrl: z.string() });

/** Returns the dialects of Stripe and PCI Vault as programs; they receive no setting of the service. */
export function dialectPrograms(
  entries: Entries,
  user: NodeJS.ProcessEnv,
  ports: DialectPorts,
  secrets: StackSecrets,
  dataDir: DataDir,
): Program[] {
  const { stripe, pciVault } = simulatorBase(user, ['stripe', 'pciVault']);
  return [
    nodeProgram(
      'pci-vault',
      entries.pciVault,
      {
        ...pciVault,
        PCI_VAULT_SIM_HOST: '127.0.0.1',
        PCI_VAULT_SIM_PORT: String(ports.pciVault),
        PCI_VAULT_SIM_DATA_DIR: dataDir.pciVault,
        PCI_VAULT_SIM_PUBLIC_URL: localUrl(ports.pciVault),
        PCI_VAULT_SIM_USER: vaultAccount.user,
        PCI_VAULT_SIM_PASSWORD: secrets.vaultServiceKey,
        PCI_VAULT_SIM_KEY: vaultAccount.key,
        PCI_VAULT_SIM_PASSPHRASE: secrets.vaultServiceKey,
        PCI_VAULT_SIM_PROXY_TARGET: localUrl(ports.stripe),
        PCI_VAULT_SIM_PROXY_KEY: secrets.vaultNetworkKey,
      },
      2,
      5_000,
    ),
    nodeProgram(
      'stripe',
      entries.stripe,
      {
        ...stripe,
        STRIPE_SIM_HOST: '127.0.0.1',
        STRIPE_SIM_PORT: String(ports.stripe),
        STRIPE_SIM_DATA_DIR: dataDir.stripe,
        STRIPE_SIM_PUBLIC_URL: localUrl(ports.stripe),
        STRIPE_SIM_PROXY_KEY: secrets.vaultNetworkKey,
      },
      2,
      5_000,
    ),
  ];
}

/** Returns the keys of the sandbox's account, derived from the secrets of this data directory. */
function accountKeys({ networkServiceKey }: StackSecrets): { secret: string; publishable: string } {
  const own = networkServiceKey.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 24);
  return { secret: `sk_test_5${account}${own}`, publishable: `pk_test_5${account}` };
}

/**
 * Connects the sandbox merchant to the dialects, and the Stripe dialect's webhooks to the service.
 * Idempotent. Throws StackProblem.
 */
export async function connectDialects(
  options: SandboxOptions,
  { merchantId }: Sandbox,
  secrets: StackSecrets,
  ports: DialectPorts,
): Promise<void> {
  const keys = accountKeys(secrets);
  const place = ['--merchant', merchantId, '--environment', 'sandbox'];
  const made = await admin(options, [
    ...['connector', 'set', ...place, '--kind', 'stripe', '--webhook-secret', secrets.callbackSecret],
    ...['--secret-key', keys.secret, '--publishable-key', keys.publishable],
    ...['--api-base', localUrl(ports.stripe), '--vault-base', localUrl(ports.pciVault)],
    ...['--vault-user', vaultAccount.user, '--vault-password', secrets.vaultServiceKey],
    ...['--vault-key', vaultAccount.key, '--vault-passphrase', secrets.vaultServiceKey],
  ]);
  const { webhookUrl } = connectedSchema.parse(made);
  const stored = readJson(options.dataDir.connectorFile, connectorSchema);
  if (stored?.webhookUrl !== webhookUrl) {
    await registerEndpoint(localUrl(ports.stripe), keys.secret, {
      url: webhookUrl,
      secret: secrets.callbackSecret,
    });
  }
  writeJson(options.dataDir.connectorFile, { kind: 'stripe-dialect', webhookUrl });
}

/** Connects the sandbox merchant to the simulators again after a start with the dialects. */
export async function disconnectDialects(options: SandboxOptions, { merchantId }: Sandbox): Promise<void> {
  const stored = readJson(options.dataDir.connectorFile, connectorSchema);
  if (stored?.kind !== 'stripe-dialect') return;
  const place = ['--merchant', merchantId, '--environment', 'sandbox'];
  await admin(options, ['connector', 'set', ...place, '--kind', 'simulator']);
  writeJson(options.dataDir.connectorFile, { ...stored, kind: 'simulator' });
}

async function registerEndpoint(
  stripeUrl: string,
  secretKey: string,
  endpoint: { url: string; secret: string },
): Promise<void> {
  let status: string;
  try {
    const response = await fetch(`${stripeUrl}/simulate/webhook_endpoints`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(endpoint),
      signal: AbortSignal.timeout(CALL_MS),
    });
    await response.body?.cancel();
    if (response.ok) return;
    status = String(response.status);
  } catch (error) {
    status = reasonOf(error);
  }
  throw new StackProblem(`the Stripe dialect refused the webhook endpoint: ${status}`);
}
