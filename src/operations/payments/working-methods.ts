import { findActiveConnector } from '../../db/merchants/connectors.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { Database } from '../../db/server/database.ts';
import { workingMethods } from '../../domain/connector.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import type { Connectors } from '../../providers/connectors.ts';

export interface WorkingMethodsDeps {
  database: Database;
  connectors: Connectors;
}

/**
 * Returns the methods with which a merchant's customers can pay: those that its network takes and the
 * operator has set up. A provider whose credentials cannot be read has no wallets.
 */
export async function readWorkingMethods(
  { database, connectors }: WorkingMethodsDeps,
  tenant: Tenant,
): Promise<readonly PaymentMethod[]> {
  const connector = await findActiveConnector(database, tenant);
  if (connector === null) return workingMethods(null, false);
  const owner = { connectorId: connector.id, environment: tenant.environment };
  const hasWallets = await connectors.portsOf(owner).then(
    ({ capture }) => capture.walletFrameUrl !== null,
    () => false,
  );
  return workingMethods(connector.kind, hasWallets);
}
