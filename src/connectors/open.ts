import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../db/database.ts';
import type { Connectors } from '../providers/connectors.ts';
import { createDisputeNetwork } from '../providers/disputes-http.ts';
import { createProviderHttp } from '../providers/http.ts';
import { createPaymentNetwork } from '../providers/network-http.ts';
import type { SandboxControls } from '../providers/ports.ts';
import { createRefundNetwork } from '../providers/refunds-http.ts';
import { createSandboxControls } from '../providers/sandbox-http.ts';
import { createStripeAgent } from '../providers/stripe/client.ts';
import { createVaultClient } from '../providers/vault-http.ts';
import { createConnectors } from './resolve.ts';
import { type CardFramePlace, openStripePair } from './stripe-pair.ts';

/** Where the simulators are reached, and as whom: the sandbox's, and in development also live payments'. */
export interface SimulatorAddresses {
  vaultUrl: string;
  /** The vault as merchants and browsers reach it. */
  vaultPublicUrl: string;
  vaultServiceKey: string;
  networkUrl: string;
  networkServiceKey: string;
  /** Longest wait for the network's answer, in ms. */
  networkTimeoutMs: number;
  /** Null: the network closes keys that it never saw. */
  unseenKeyHorizonMs: number | null;
}

/**
 * Returns the connectors of a process: the simulators, and every merchant's own pairs as they are asked for.
 * `controls` orders outcomes of the simulators.
 */
export function openConnectors(deps: {
  database: Database;
  keyring: Keyring;
  simulators: SimulatorAddresses;
  cardFrame: CardFramePlace | null;
}): { connectors: Connectors; controls: SandboxControls; close: () => Promise<void> } {
  const { simulators } = deps;
  const vaultHttp = createProviderHttp({
    provider: 'vault',
    baseUrl: simulators.vaultUrl,
    serviceKey: simulators.vaultServiceKey,
    timeoutMs: 3_000,
  });
  const networkHttp = createProviderHttp({
    provider: 'network',
    baseUrl: simulators.networkUrl,
    serviceKey: simulators.networkServiceKey,
    timeoutMs: simulators.networkTimeoutMs,
  });
  const agent = createStripeAgent();
  const connectors = createConnectors({
    ...deps,
    simulators: {
      kind: 'simulator',
      capture: {
        provider: 'cardVault',
        urlOf: (vaultId) => `${simulators.vaultPublicUrl}/capture/${vaultId}`,
        frameUrlOf: (vaultId) => `${simulators.vaultPublicUrl}/frame/${vaultId}`,
        shopsMayFrame: true,
        makesSecrets: false,
      },
      cardsProvenBy: 'vault',
      vault: createVaultClient(vaultHttp),
      network: createPaymentNetwork(networkHttp, { unseenKeyHorizonMs: simulators.unseenKeyHorizonMs }),
      refunds: createRefundNetwork(networkHttp),
      disputes: createDisputeNetwork(networkHttp),
    },
    open: (credentials) => openStripePair(credentials, agent, deps.cardFrame),
  });
  return {
    connectors,
    controls: createSandboxControls(networkHttp, vaultHttp),
    close: async () => {
      await Promise.all([vaultHttp.close(), networkHttp.close(), agent.close()]);
    },
  };
}
