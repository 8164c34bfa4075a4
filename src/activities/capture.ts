import { endCaptureAccess, markCaptureEnded } from '../db/payments/capture-access.ts';
import type { Database } from '../db/server/database.ts';
import type { Connectors } from '../providers/connectors.ts';
import { requirePayment } from './require-payment.ts';

/**
 * The activities that end capture access, as the payment's workflow sees them. Each may run any number of
 * times.
 */
export interface CaptureActivities {
  /**
   * Ends the access in the rows; returns whether it is to be revoked at the vault. Run as a local activity.
   */
  endCapture(input: { paymentId: string }): Promise<{ revoke: boolean }>;
  /** Revokes the access at the vault. Throws while the vault does not answer definitely. */
  revokeCapture(input: { paymentId: string }): Promise<void>;
}

/**
 * Returns the activities that end capture access; the API begins it
 * (src/operations/payments/prepare-capture.ts).
 */
export function createCaptureActivities(deps: {
  database: Database;
  connectors: Connectors;
}): CaptureActivities {
  const { database, connectors } = deps;
  return {
    endCapture: async ({ paymentId }) => ({ revoke: await endCaptureAccess(database, paymentId) }),
    revokeCapture: async ({ paymentId }) => {
      const record = await requirePayment(database, paymentId);
      const { vault } = await connectors.portsOf(record);
      await vault.revokeSession(record.vaultId);
      await markCaptureEnded(database, paymentId);
    },
  };
}
