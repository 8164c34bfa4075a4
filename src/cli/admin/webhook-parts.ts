import type { Command } from 'commander';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { Environment } from '../../domain/statuses.ts';
import { type CursorList, openCursor } from '../../operations/list-cursor.ts';
import type { WebhookOperationDeps } from '../../operations/webhooks/endpoints.ts';
import { createDeliveryWorkflows } from '../../temporal/clients/deliveries.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { createDataConverter } from '../../temporal/data-converter.ts';
import { problems } from '../problems.ts';
import { environmentFlag, type Operator, OperatorError, uuidFlag, withCommonFlags } from './operator.ts';

/** The number of rows in one answer. */
export const pageSize = 100;

export interface TenantFlags {
  dataDir: string;
  merchant: string;
  environment: Environment;
}

/** Adds the flags that name a merchant and one of its environments. */
export const ofTenant = (command: Command): Command =>
  withCommonFlags(
    command
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption('--environment <name>', 'sandbox or live', environmentFlag),
  );

/** Runs `work` with a client that can start workflows, and closes it afterwards. */
export async function withDeliveries<T>(
  { database, keyring, settings, now }: Operator,
  work: (deps: WebhookOperationDeps) => Promise<T>,
): Promise<T> {
  const client = createTemporalClient(
    { address: settings.TEMPORAL_ADDRESS, namespace: settings.TEMPORAL_NAMESPACE },
    createDataConverter(keyring),
  );
  const deliveries = createDeliveryWorkflows({ client, queuePrefix: settings.TASK_QUEUE_PREFIX, now });
  try {
    return await work({ database, keyring, deliveries, now });
  } finally {
    await client.connection.close();
  }
}

/** Returns the position in a cursor; null without one. Throws `OperatorError` for another list's cursor. */
export function positionOf<Position>(
  keyring: Keyring,
  tenant: Tenant,
  list: CursorList<Position>,
  cursor: string | undefined,
): Position | null {
  if (cursor === undefined) return null;
  const position = openCursor(keyring, tenant, list, cursor);
  if (position === null) throw new OperatorError(problems.cursor);
  return position;
}
