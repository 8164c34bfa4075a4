import {
  type Branding,
  type BrandingChange,
  BrandingRefused,
  type Logo,
  type LogoSlot,
  logoSlots,
} from '../../domain/branding.ts';
import { type By, difference } from '../../domain/audit.ts';
import { recordChange } from '../server/audit.ts';
import { type Database, inTransaction, type Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';

/** The prefixes of each logo's column names. */
const prefixes = { logo: 'logo', darkLogo: 'dark_logo' } as const satisfies Record<LogoSlot, string>;

const columns = `display_name AS "displayName", accent, support_email AS "supportEmail",
  support_url AS "supportUrl", terms_url AS "termsUrl", privacy_url AS "privacyUrl",
  statement_descriptor AS "statementDescriptor",
  ${logoSlots.map((slot) => logoColumn(slot)).join(', ')}`;

function logoColumn(slot: LogoSlot): string {
  const prefix = prefixes[slot];
  return `CASE WHEN ${prefix}_sha256 IS NULL THEN NULL ELSE json_build_object('sha256', ${prefix}_sha256,
    'contentType', ${prefix}_content_type, 'width', ${prefix}_width, 'height', ${prefix}_height) END AS "${slot}"`;
}

/** The branding of a merchant that has set nothing. */
const blank: Branding = {
  displayName: null,
  accent: null,
  supportEmail: null,
  supportUrl: null,
  termsUrl: null,
  privacyUrl: null,
  statementDescriptor: null,
  logo: null,
  darkLogo: null,
};

/** Returns the tenant's branding; blank when nothing is set. */
export async function loadBranding(database: Queryable, tenant: Tenant): Promise<Branding> {
  const { rows } = await database.query<Branding>(
    `SELECT ${columns} FROM merchant_branding WHERE merchant_id = $1 AND environment = $2`,
    [tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? blank;
}

/**
 * Changes the given fields (null clears a field, an absent field stays) and returns the whole branding; null
 * if there is no such merchant. The dark logo requires the other one and is cleared together with it: throws
 * `BrandingRefused`.
 */
export async function updateBranding(
  database: Database,
  tenant: Tenant,
  change: StoredChange,
  by: By,
): Promise<Branding | null> {
  return inTransaction(database, async (transaction) => {
    const before = await lockBranding(transaction, tenant);
    const hasLogo = change.logo === undefined ? before.logo !== null : change.logo !== null;
    if (change.darkLogo && !hasLogo)
      throw new BrandingRefused('darkLogo', 'needs a logo for light pages too');
    const whole = change.logo === null ? { ...change, darkLogo: null } : change;
    const after = await writeBranding(transaction, tenant, whole);
    if (after) await recordBranding(transaction, tenant, 'branding.changed', { before, after }, by);
    return after;
  });
}

type StoredLogo = Logo & { bytes: Buffer };
type StoredChange = BrandingChange & Partial<Record<LogoSlot, StoredLogo | null>>;

/** Returns the current branding, locked until the commit. */
async function lockBranding(transaction: Queryable, tenant: Tenant): Promise<Branding> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `merchant_branding ${tenant.merchantId}`,
  ]);
  return loadBranding(transaction, tenant);
}

async function recordBranding(
  transaction: Queryable,
  { merchantId, environment }: Tenant,
  action: string,
  { before, after }: { before: Branding; after: Branding },
  by: By,
): Promise<void> {
  const changed = difference({ ...before }, { ...after });
  if (Object.keys(changed.after).length === 0) return;
  const subject = { type: 'branding', id: environment };
  await recordChange(transaction, { ...by, merchantId, environment, action, subject, ...changed });
}

async function writeBranding(
  database: Queryable,
  tenant: Tenant,
  change: StoredChange,
): Promise<Branding | null> {
  const values: readonly ColumnValue[] = [
    ['display_name', 'text', change.displayName],
    ['accent', 'text', change.accent],
    ['support_email', 'text', change.supportEmail],
    ['support_url', 'text', change.supportUrl],
    ['terms_url', 'text', change.termsUrl],
    ['privacy_url', 'text', change.privacyUrl],
    ['statement_descriptor', 'text', change.statementDescriptor],
    ...logoSlots.flatMap((slot) => logoValues(prefixes[slot], change[slot])),
  ];
  const given = values.filter(([, , value]) => value !== undefined);
  const names = ['environment', ...given.map(([name]) => name)];
  const { rows } = await database.query<Branding>(
    `INSERT INTO merchant_branding (merchant_id, ${names.join(', ')})
     SELECT m.id, $2 ${given.map(([, type], at) => `, $${at + 3}::${type}`).join('')}
     FROM merchants m WHERE m.id = $1
     ON CONFLICT (merchant_id, environment) DO UPDATE
       SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}
     RETURNING ${columns}`,
    [tenant.merchantId, tenant.environment, ...given.map(([, , value]) => value)],
  );
  return rows[0] ?? null;
}

type ColumnValue = readonly [column: string, type: string, value: unknown];

const logoValues = (prefix: string, logo: StoredLogo | null | undefined): ColumnValue[] => [
  [`${prefix}_sha256`, 'text', logo && logo.sha256],
  [`${prefix}_content_type`, 'text', logo && logo.contentType],
  [`${prefix}_width`, 'integer', logo && logo.width],
  [`${prefix}_height`, 'integer', logo && logo.height],
  [`${prefix}_bytes`, 'bytea', logo && logo.bytes],
];

/** Deletes the whole branding; false when nothing was set. */
export async function clearBranding(database: Database, tenant: Tenant, by: By): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const before = await lockBranding(transaction, tenant);
    const { rowCount } = await transaction.query(
      'DELETE FROM merchant_branding WHERE merchant_id = $1 AND environment = $2',
      [tenant.merchantId, tenant.environment],
    );
    if (rowCount === 0) return false;
    await recordBranding(transaction, tenant, 'branding.cleared', { before, after: blank }, by);
    return true;
  });
}

/** Returns a logo of any merchant by the hash of its bytes; null when no merchant uses it. */
export async function findLogo(
  database: Queryable,
  sha256: string,
): Promise<{ contentType: Logo['contentType']; bytes: Buffer } | null> {
  const { rows } = await database.query<{ contentType: Logo['contentType']; bytes: Buffer }>(
    `SELECT logo_content_type AS "contentType", logo_bytes AS bytes FROM merchant_branding
     WHERE logo_sha256 = $1
     UNION ALL
     SELECT dark_logo_content_type, dark_logo_bytes FROM merchant_branding WHERE dark_logo_sha256 = $1
     LIMIT 1`,
    [sha256],
  );
  return rows[0] ?? null;
}
