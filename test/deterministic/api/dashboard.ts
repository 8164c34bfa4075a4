import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { insertMember } from '../../../src/db/members/members.ts';
import { type Database, inTransaction, openDatabase } from '../../../src/db/server/database.ts';
import { type TenantReads, openTenantReads } from '../../../src/db/server/tenant-reads.ts';
import type { By } from '../../../src/domain/audit.ts';
import type { Member } from '../../../src/domain/members.ts';
import type { WebhookOperationDeps } from '../../../src/operations/webhooks/endpoints.ts';
import type { CreateRefundDeps } from '../../../src/operations/refunds/create-refund.ts';
import type { Settings } from '../../../src/runtime/settings.ts';
import { createDeliveryWorkflows } from '../../../src/temporal/clients/deliveries.ts';
import { createRefundWorkflows } from '../../../src/temporal/clients/refunds.ts';
import { createTemporalClient } from '../../../src/temporal/connection.ts';
import { createDataConverter } from '../../../src/temporal/data-converter.ts';
import type { Shop } from '../shop.ts';

/** The operations of a shop's dashboard, and two members who use them. */
export interface Dashboard {
  deps: CreateRefundDeps & WebhookOperationDeps;
  lists: TenantReads;
  workflows: Client['workflow'];
  members: readonly [Member, Member];
  close(): Promise<void>;
}

/** Opens the operations of the dashboard, with its connections but without its pages. */
export async function openDashboard(settings: Settings, { tenant }: Shop): Promise<Dashboard> {
  const keyring = createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS);
  const pool = {
    url: settings.DATABASE_URL,
    poolSize: 2,
    pooler: settings.DATABASE_POOLER,
    applicationName: 'simulated-dashboard',
  };
  const database = openDatabase({ ...pool, signWith: keyring });
  const lists = openTenantReads({ ...pool, applicationName: 'simulated-dashboard-lists' });
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = settings;
  const client = createTemporalClient({ address, namespace }, createDataConverter(keyring));
  const now = (): number => Date.now();
  const temporal = { client, queuePrefix: settings.TASK_QUEUE_PREFIX, now };
  return {
    deps: {
      ...{ database, keyring, now },
      idempotencyRetentionSeconds: settings.IDEMPOTENCY_RETENTION_SECONDS,
      refunds: createRefundWorkflows(temporal),
      deliveries: createDeliveryWorkflows(temporal),
      logger: pino({ level: 'silent' }),
      refundDelaySeconds: settings.REFUND_DELAY_SECONDS,
    },
    lists,
    workflows: client.workflow,
    members: [
      await addMember(database, tenant.merchantId, 'Ada'),
      await addMember(database, tenant.merchantId, 'Grace'),
    ],
    close: async () => {
      await client.connection.close();
      await Promise.all([database.end(), lists.end()]);
    },
  };
}

async function addMember(database: Database, merchantId: string, name: string): Promise<Member> {
  const added = await inTransaction(database, (transaction) =>
    insertMember(transaction, { merchantId, name, role: 'owner', at: new Date() }),
  );
  if (added === null) throw new Error('the merchant has too many members');
  return added;
}

/** Returns a member as the actor of a change now. */
export const byMember = ({ id, name }: Member): By => ({
  actor: { kind: 'member', id, name, address: null },
  at: new Date(),
});
