import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { newKey } from '../../../src/crypto/api-key.ts';
import { type Keyring, createKeyring } from '../../../src/crypto/keyring.ts';
import { insertMember } from '../../../src/db/members/members.ts';
import { insertKey } from '../../../src/db/merchants/merchant-keys.ts';
import { type Database, inTransaction, openDatabase } from '../../../src/db/server/database.ts';
import { type TenantReads, openTenantReads } from '../../../src/db/server/tenant-reads.ts';
import type { By } from '../../../src/domain/audit.ts';
import type { Environment } from '../../../src/domain/statuses.ts';
import type { Member } from '../../../src/domain/members.ts';
import { isAddressOrNetwork } from '../../../src/operations/address-list.ts';
import type { WebhookOperationDeps } from '../../../src/operations/webhooks/endpoints.ts';
import type { CreateRefundDeps } from '../../../src/operations/refunds/create-refund.ts';
import type { Settings } from '../../../src/runtime/settings.ts';
import { createDeliveryWorkflows } from '../../../src/temporal/clients/deliveries.ts';
import { createRefundWorkflows } from '../../../src/temporal/clients/refunds.ts';
import { createTemporalClient } from '../../../src/temporal/connection.ts';
import { createDataConverter } from '../../../src/temporal/data-converter.ts';
import type { Violation } from '../../chaos/violation.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { createMerchantWithKey } from '../../support/harness/create-merchant.ts';
import type { Shop } from '../shop.ts';

/** The operations of a shop's dashboard, and two members who use them. */
export interface Dashboard {
  deps: CreateRefundDeps & WebhookOperationDeps;
  lists: TenantReads;
  workflows: Client['workflow'];
  members: readonly [Member, Member];
  /** Another merchant, with keys of different rights. */
  stranger: Stranger;
  /** Violations that its clients found. */
  found: Violation[];
  close(): Promise<void>;
}

/** The keys of another merchant. */
interface Stranger {
  apiKey: string;
  /** May be used from these addresses only, and from others only. */
  keyHere: string;
  keyElsewhere: string;
  /** Of the live environment, for which the merchant has no provider. */
  liveKey: string;
  /** Of a merchant without custom mode, whose customers pay with pix only. */
  pixKey: string;
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
    stranger: await createStranger(database, keyring),
    found: [],
    close: async () => {
      await client.connection.close();
      await Promise.all([database.end(), lists.end()]);
    },
  };
}

async function createStranger(database: Database, keyring: Keyring): Promise<Stranger> {
  const changes = { customMode: true, customActions: true };
  const { tenant, apiKey } = await createMerchantWithKey({ database, keyring }, 'Another shop', changes);
  const keyFor = async (allowFrom: string[], environment: Environment = 'sandbox'): Promise<string> => {
    if (!allowFrom.every(isAddressOrNetwork)) throw new Error('a key has an address that is none');
    const { text, stored } = newKey(keyring, environment);
    const limits = { methods: null, embeddingOrigins: null, scopes: null, refundCapCents: null, allowFrom };
    await insertKey(
      database,
      { ...stored, ...limits, ...tenant, environment, name: 'restricted' },
      byOperator(),
    );
    return text;
  };
  const pix = await createMerchantWithKey({ database, keyring }, 'A third shop', { methods: ['pix'] });
  return {
    apiKey,
    pixKey: pix.apiKey,
    liveKey: await keyFor(['127.0.0.1'], 'live'),
    keyHere: await keyFor(['127.0.0.1', '::1/128']),
    keyElsewhere: await keyFor(['10.0.0.0/8', '2001:db8::1']),
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
