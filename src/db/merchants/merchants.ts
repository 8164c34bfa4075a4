import { type By, difference } from '../../domain/audit.ts';
import type { DeclineLimits } from '../../domain/card-testing.ts';
import type { Environment, PaymentMethod } from '../../domain/statuses.ts';
import { recordChange } from '../server/audit.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';

/** Settings of a merchant in one environment. */
export interface MerchantSettings extends DeclineLimits {
  merchantId: string;
  environment: Environment;
  methods: PaymentMethod[];
  customMode: boolean;
  customActions: boolean;
  embeddingOrigins: string[];
  hostedForm: boolean;
  /** Whether a payment that is paid after its checkout closed is refunded automatically. */
  refundLate: boolean;
  /** When a member's refunds of a day reach this sum, a second member must approve; null: never. */
  refundApprovalCents: number | null;
  /** IANA name of the zone in which the dashboard shows times. */
  timeZone: string;
}

const settingsColumns = `merchant_id AS "merchantId", environment, methods, custom_mode AS "customMode",
  custom_actions AS "customActions", embedding_origins AS "embeddingOrigins", hosted_form AS "hostedForm",
  refund_late AS "refundLate", time_zone AS "timeZone",
  declines_per_merchant AS "declinesPerMerchant", declines_per_key AS "declinesPerKey",
  declines_per_address AS "declinesPerAddress", declines_per_bin AS "declinesPerBin",
  declines_per_card AS "declinesPerCard",
  refund_approval_cents AS "refundApprovalCents"`;

/**
 * Creates a merchant with the default settings of docs/operations.md in both environments: all methods,
 * custom mode off.
 */
export async function createMerchant(
  database: Database,
  merchant: { id: string; name: string; status: 'active' | 'inactive' },
  by: By,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await transaction.query('INSERT INTO merchants (id, name, status) VALUES ($1, $2, $3)', [
      merchant.id,
      merchant.name,
      merchant.status,
    ]);
    await transaction.query(
      `INSERT INTO merchant_settings (merchant_id, environment, methods)
       VALUES ($1, 'sandbox', '{card,wallet,pix}'), ($1, 'live', '{card,wallet,pix}')`,
      [merchant.id],
    );
    await recordChange(transaction, {
      ...by,
      merchantId: merchant.id,
      environment: null,
      action: 'merchant.created',
      subject: { type: 'merchant', id: merchant.id },
      before: null,
      after: { name: merchant.name, status: merchant.status },
    });
  });
}

export interface MerchantRow {
  merchantId: string;
  name: string;
  status: 'inactive' | 'active' | 'disabled';
  createdAt: Date;
}

/** Returns the merchants, newest first, at most `limit`. For the operator. */
export async function listMerchants(database: Queryable, limit: number): Promise<MerchantRow[]> {
  const { rows } = await database.query<MerchantRow>(
    `SELECT id AS "merchantId", name, status, created_at AS "createdAt" FROM merchants
     ORDER BY created_at DESC, id DESC LIMIT $1`,
    [limit],
  );
  return rows;
}

/** Sets a merchant's status; false when there is no such merchant. */
export async function setMerchantStatus(
  database: Database,
  id: string,
  status: 'active' | 'disabled',
  by: By,
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ status: string }>(
      'SELECT status FROM merchants WHERE id = $1 FOR NO KEY UPDATE',
      [id],
    );
    const [known] = rows;
    if (!known) return false;
    if (known.status === status) return true;
    await transaction.query('UPDATE merchants SET status = $2 WHERE id = $1', [id, status]);
    await recordChange(transaction, {
      ...by,
      merchantId: id,
      environment: null,
      action: status === 'active' ? 'merchant.activated' : 'merchant.disabled',
      subject: { type: 'merchant', id },
      before: { status: known.status },
      after: { status },
    });
    return true;
  });
}

/** Changes the given settings and returns all of them; null when there is no such merchant. */
export async function updateSettings(
  database: Database,
  merchantId: string,
  environment: Environment,
  changes: SettingsChange,
  by: By,
): Promise<MerchantSettings | null> {
  return inTransaction(database, async (transaction) => {
    const before = await loadSettings(transaction, { merchantId, environment }, 'FOR UPDATE');
    const after = await writeSettings(transaction, merchantId, environment, changes);
    if (!before || !after) return null;
    const changed = difference({ ...before }, { ...after });
    if (Object.keys(changed.after).length === 0) return after;
    await recordChange(transaction, {
      ...by,
      merchantId,
      environment,
      action: 'settings.changed',
      subject: { type: 'settings', id: environment },
      ...changed,
    });
    return after;
  });
}

/** The settings to change; an absent setting stays. */
export type SettingsChange = Partial<Omit<MerchantSettings, 'merchantId' | 'environment'>>;

/** Returns a tenant's settings, or null; with `lock`, locked until the end of the transaction. */
export async function loadSettings(
  database: Queryable,
  tenant: Tenant,
  lock: '' | 'FOR UPDATE' = '',
): Promise<MerchantSettings | null> {
  const { rows } = await database.query<MerchantSettings>(
    `SELECT ${settingsColumns} FROM merchant_settings WHERE merchant_id = $1 AND environment = $2 ${lock}`,
    [tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

async function writeSettings(
  transaction: Queryable,
  merchantId: string,
  environment: Environment,
  changes: SettingsChange,
): Promise<MerchantSettings | null> {
  const { rows } = await transaction.query<MerchantSettings>(
    `UPDATE merchant_settings SET methods = coalesce($3, methods), custom_mode = coalesce($4, custom_mode),
       custom_actions = coalesce($5, custom_actions), embedding_origins = coalesce($6, embedding_origins),
       hosted_form = coalesce($7, hosted_form), refund_late = coalesce($8, refund_late),
       time_zone = coalesce($9, time_zone), declines_per_merchant = coalesce($10, declines_per_merchant),
       declines_per_key = coalesce($11, declines_per_key),
       declines_per_address = coalesce($12, declines_per_address),
       declines_per_bin = coalesce($13, declines_per_bin), declines_per_card = coalesce($14, declines_per_card),
       refund_approval_cents = CASE WHEN $15 THEN $16 ELSE refund_approval_cents END
     WHERE merchant_id = $1 AND environment = $2 RETURNING ${settingsColumns}`,
    [
      merchantId,
      environment,
      changes.methods ?? null,
      changes.customMode ?? null,
      changes.customActions ?? null,
      changes.embeddingOrigins ?? null,
      changes.hostedForm ?? null,
      changes.refundLate ?? null,
      changes.timeZone ?? null,
      changes.declinesPerMerchant ?? null,
      changes.declinesPerKey ?? null,
      changes.declinesPerAddress ?? null,
      changes.declinesPerBin ?? null,
      changes.declinesPerCard ?? null,
      changes.refundApprovalCents !== undefined,
      changes.refundApprovalCents ?? null,
    ],
  );
  return rows[0] ?? null;
}

/**
 * Returns whether the merchant confirms actions in custom mode; null when it has no settings. Spec: POST
 * confirm.
 */
export async function hasCustomActions(database: Queryable, tenant: Tenant): Promise<boolean | null> {
  const { rows } = await database.query<{ customActions: boolean }>(
    `SELECT custom_actions AS "customActions" FROM merchant_settings
     WHERE merchant_id = $1 AND environment = $2`,
    [tenant.merchantId, tenant.environment],
  );
  return rows[0]?.customActions ?? null;
}
