import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../db/server/database.ts';
import type { Connectors, ProviderPorts } from '../providers/connectors.ts';
import { createDisputeNetwork } from '../providers/disputes-http.ts';
import { createProviderHttp } from '../providers/http.ts';
import { createNetworkListings } from '../providers/listings-http.ts';
import { createPaymentNetwork } from '../providers/network-http.ts';
import type { SandboxControls } from '../providers/sandbox-controls.ts';
import { createRefundNetwork } from '../providers/refunds-http.ts';
import { createSandboxControls } from '../providers/sandbox-http.ts';
import { createStripeAgent } from '../providers/stripe/client.ts';
import { createVaultClient } from '../providers/vault-http.ts';
import { createConnectors } from './resolve.ts';
import { type CardFrameAddress, openStripePair } from './stripe-pair.ts';

/** The addresses of one environment's simulators, and the credentials at them. */
export interface SimulatorAddresses {
  vaultUrl: string;
  /** The vault's address for merchants and browsers. */
  vaultPublicUrl: string;
  vaultServiceKey: string;
  networkUrl: string;
  networkServiceKey: string;
}

/** The simulators of sandbox and live, in processes of their own; null: live payments need a connector. */
export interface Simulators {
  sandbox: SimulatorAddresses;
  live: SimulatorAddresses | null;
}

/** Options of calls to the simulators' networks. */
export interface SimulatorOptions {
  /** Longest wait for the network's answer, in ms. */
  networkTimeoutMs: number;
  /** How long an unseen request may still arrive, in ms; null: the network closes keys that it never saw. */
  unseenKeyHorizonMs: number | null;
}

/**
 * Returns the connectors of a process: the simulators, and each merchant's own vault and network, opened on
 * first use. `controls` sets outcomes at the sandbox's simulators.
 */
export function openConnectors(deps: {
  database: Database;
  keyring: Keyring;
  simulators: Simulators;
  simulatorOptions: SimulatorOptions;
  cardFrame: CardFrameAddress | null;
  /** PostgreSQL's time in epoch ms. */
  now: () => number;
}): { connectors: Connectors; controls: SandboxControls; close: () => Promise<void> } {
  const sandbox = openSimulators(deps.simulators.sandbox, deps.simulatorOptions);
  const live =
    deps.simulators.live === null ? null : openSimulators(deps.simulators.live, deps.simulatorOptions);
  const agent = createStripeAgent();
  const connectors = createConnectors({
    database: deps.database,
    keyring: deps.keyring,
    simulators: { sandbox: sandbox.ports, live: live?.ports ?? null },
    open: (credentials) => openStripePair(credentials, { agent, frame: deps.cardFrame, now: deps.now }),
  });
  return {
    connectors,
    controls: createSandboxControls(sandbox.networkHttp, sandbox.vaultHttp),
    close: async () => {
      await Promise.all([sandbox.close(), live?.close(), agent.close()]);
    },
  };
}

/** Returns a simulated vault and network, with connections of their own. */
function openSimulators(addresses: SimulatorAddresses, options: SimulatorOptions) {
  const vaultHttp = createProviderHttp({
    provider: 'vault',
    baseUrl: addresses.vaultUrl,
    serviceKey: addresses.vaultServiceKey,
    timeoutMs: 3_000,
  });
  const networkHttp = createProviderHttp({
    provider: 'network',
    baseUrl: addresses.networkUrl,
    serviceKey: addresses.networkServiceKey,
    timeoutMs: options.networkTimeoutMs,
  });
  const ports: ProviderPorts = {
    kind: 'simulator',
    capture: {
      provider: 'cardVault',
      urlOf: (vaultId) => `${addresses.vaultPublicUrl}/capture/${vaultId}`,
      frameUrlOf: (vaultId) => `${addresses.vaultPublicUrl}/frame/${vaultId}`,
      walletFrameUrl: null,
      shopsMayFrame: true,
      makesSecrets: false,
      signAncestors: null,
    },
    cardsVerifiedBy: 'vault',
    vault: createVaultClient(vaultHttp),
    network: createPaymentNetwork(networkHttp, { unseenKeyHorizonMs: options.unseenKeyHorizonMs }),
    refunds: createRefundNetwork(networkHttp),
    disputes: createDisputeNetwork(networkHttp),
    listings: createNetworkListings(networkHttp),
    // The name on the simulator's own page of the wallet.
    wallet: { name: 'Sandbox Wallet', mark: 'sandbox' },
  };
  const close = () => Promise.all([vaultHttp.close(), networkHttp.close()]);
  return { vaultHttp, networkHttp, ports, close };
}
