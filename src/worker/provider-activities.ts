import type { Logger } from 'pino';
import { type AttemptActivities, createAttemptActivities } from '../activities/attempts.ts';
import { type CaptureActivities, createCaptureActivities } from '../activities/capture.ts';
import { createDisputeActivities } from '../activities/disputes.ts';
import {
  type ProviderRefundActivities,
  createProviderRefundActivities,
} from '../activities/provider-refunds.ts';
import { createReconciliationActivities } from '../activities/reconciliation.ts';
import { type RefundActivities, createRefundActivities } from '../activities/refunds.ts';
import { createSandboxActivities } from '../activities/sandbox.ts';
import type { CommitTransition } from '../activities/transitions.ts';
import { type CaptureChecks, createCaptureChecks } from '../activities/unexpected-captures.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../db/server/database.ts';
import type { SimulatorOptions, Simulators } from '../connectors/open.ts';
import { openConnectors } from '../connectors/open.ts';
import { loadRefund } from '../db/refunds/refund-reads.ts';
import type { Connectors } from '../providers/connectors.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';

/** The calls of the sweeps to vault and network. */
export interface ProviderChecks {
  connectors: Connectors;
  refunds: Pick<RefundActivities, 'followRefund'>;
  providerRefunds: ProviderRefundActivities;
  captures: Pick<CaptureActivities, 'revokeCapture'>;
  reportedCaptures: CaptureChecks;
}

/**
 * Returns the activities that call vaults and networks, and the function that closes the connections.
 * `attempts` is served on both queues of a payment: local activities beside its workflow start the calls, and
 * activities on the provider's queue wait for them.
 */
export function composeProviderActivities(deps: {
  database: Database;
  keyring: Keyring;
  webhooks: Pick<WebhookDispatcher, 'dispatch'>;
  /** Writes a transition in the name of the run that decided it. */
  commit: CommitTransition;
  publicUrl: string;
  simulators: Simulators;
  simulatorOptions: SimulatorOptions;
  logger: Logger;
  /** PostgreSQL's time in epoch ms. */
  now: () => number;
}): {
  attempts: AttemptActivities & CaptureActivities;
  others: object;
  checks: ProviderChecks;
  close: () => Promise<void>;
} {
  const { database, keyring, webhooks, commit, publicUrl, now } = deps;
  // Only pages show card fields.
  const { connectors, controls, close } = openConnectors({ ...deps, cardFrame: null });
  const attempts = {
    ...createAttemptActivities({ database, keyring, connectors, controls, commit, publicUrl, now }),
    ...createCaptureActivities({ database, connectors }),
  };
  const refunds = createRefundActivities({ database, connectors, webhooks, now });
  const providerRefunds = createProviderRefundActivities({ database, connectors, webhooks, now });
  const disputes = createDisputeActivities({ database, connectors, webhooks, now });
  const reportedCaptures = createCaptureChecks({ database, connectors, webhooks, logger: deps.logger });
  const others = {
    ...refunds,
    ...disputes,
    ...createReconciliationActivities({
      database,
      connectors,
      repairs: { ...refunds, ...providerRefunds, ...disputes, ...reportedCaptures },
    }),
    ...createSandboxActivities({
      controls,
      isRefundCanceled: async (id) => (await loadRefund(database, id))?.status === 'canceled',
    }),
  };
  const checks = { connectors, refunds, providerRefunds, captures: attempts, reportedCaptures };
  return { attempts, others, checks, close };
}
