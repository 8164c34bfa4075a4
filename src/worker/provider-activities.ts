import { type AttemptActivities, createAttemptActivities } from '../activities/attempts.ts';
import { type CaptureActivities, createCaptureActivities } from '../activities/capture.ts';
import { createDisputeActivities } from '../activities/disputes.ts';
import { createRefundActivities } from '../activities/refunds.ts';
import { createSandboxActivities } from '../activities/sandbox.ts';
import { createRefundAndDisputeSweepActivities } from '../activities/sweep-refunds-and-disputes.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../db/database.ts';
import { loadRefund } from '../db/refunds.ts';
import { createDisputeNetwork } from '../providers/disputes-http.ts';
import { createProviderHttp } from '../providers/http.ts';
import { createPaymentNetwork } from '../providers/network-http.ts';
import { createRefundNetwork } from '../providers/refunds-http.ts';
import { createSandboxControls } from '../providers/sandbox-http.ts';
import { createVaultClient } from '../providers/vault-http.ts';

/** Where the vault and the network are reached, and as whom. */
export interface ProviderAddresses {
  vaultUrl: string;
  vaultServiceKey: string;
  networkUrl: string;
  networkServiceKey: string;
  /** Null: the network closes keys that it never saw. */
  unseenKeyHorizonMs: number | null;
}

/**
 * Returns what calls the vault and the network, and what closes the connections. `attempts` is served on both
 * queues of a payment: begun as local activities beside its workflow, waited for on the provider's queue.
 */
export function composeProviderActivities(deps: {
  database: Database;
  keyring: Keyring;
  publicUrl: string;
  addresses: ProviderAddresses;
}): { attempts: AttemptActivities & CaptureActivities; others: object; close: () => Promise<void> } {
  const { database, keyring, publicUrl, addresses } = deps;
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
    timeoutMs: 8_000,
  });
  const controls = createSandboxControls(networkHttp, vaultHttp);
  const now = Date.now;
  const vault = createVaultClient(vaultHttp);
  const disputes = createDisputeNetwork(networkHttp);
  const attempts = {
    ...createAttemptActivities({
      database,
      keyring,
      vault,
      network: createPaymentNetwork(networkHttp, { unseenKeyHorizonMs: addresses.unseenKeyHorizonMs }),
      controls,
      publicUrl,
    }),
    ...createCaptureActivities({ database, vault }),
  };
  const others = {
    ...createRefundActivities({ database, network: createRefundNetwork(networkHttp), now }),
    ...createDisputeActivities({ database, network: disputes, now }),
    ...createRefundAndDisputeSweepActivities({ database, network: disputes, now }),
    ...createSandboxActivities({
      controls,
      isRefundCanceled: async (id) => (await loadRefund(database, id))?.status === 'canceled',
    }),
  };
  return {
    attempts,
    others,
    close: async () => {
      await Promise.all([vaultHttp.close(), networkHttp.close()]);
    },
  };
}
