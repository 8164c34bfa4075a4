import type { By } from '../../domain/audit.ts';
import { type DisputeRecord, refuseDisputeAnswer } from '../../domain/dispute.ts';
import { type DisputeFileType, maxDisputeFiles, maxDisputeFilesBytes } from '../../domain/dispute-file.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Tenant } from '../payments/payments.ts';
import { type Database, inTransaction, type Queryable } from '../server/database.ts';
import { recordDisputeChange } from './dispute-evidence.ts';
import { disputeColumns } from './dispute-reads.ts';

/** A file of a dispute, without its bytes. */
export interface DisputeFile {
  id: string;
  name: string;
  contentType: DisputeFileType;
  size: number;
  createdAt: Date;
}

const columns = `id, name, content_type AS "contentType", octet_length(bytes) AS size, created_at AS "createdAt"`;

/** Returns the files of a dispute, oldest first; at most five. */
export async function listDisputeFiles(
  database: Queryable,
  { merchantId, environment }: Tenant,
  disputeId: string,
): Promise<DisputeFile[]> {
  const { rows } = await database.query<DisputeFile>(
    `SELECT ${columns} FROM dispute_files
     WHERE dispute_id = $1 AND merchant_id = $2 AND environment = $3 ORDER BY created_at, id`,
    [disputeId, merchantId, environment],
  );
  return rows;
}

/** Returns a file of a dispute with its bytes; null for an unknown one. */
export async function findDisputeFile(
  database: Queryable,
  { merchantId, environment }: Tenant,
  of: { disputeId: string; id: string },
): Promise<(DisputeFile & { bytes: Buffer }) | null> {
  const { rows } = await database.query<DisputeFile & { bytes: Buffer }>(
    `SELECT ${columns}, bytes FROM dispute_files
     WHERE id = $1 AND dispute_id = $2 AND merchant_id = $3 AND environment = $4`,
    [of.id, of.disputeId, merchantId, environment],
  );
  return rows[0] ?? null;
}

/** A file to store. `sha256` is the hash of its bytes, in hex. */
export interface NewDisputeFile {
  id: string;
  name: string;
  contentType: DisputeFileType;
  bytes: Buffer;
  sha256: string;
}

/**
 * Stores a file with a dispute's draft. A file that is already stored is not stored again. If the dispute has
 * no room for it, returns the reason. Refuses not_found, dispute_closed, evidence_already_submitted,
 * evidence_past_due.
 */
export async function addDisputeFile(
  database: Database,
  tenant: Tenant,
  disputeId: string,
  file: NewDisputeFile,
  by: By,
): Promise<'stored' | 'tooMany' | 'tooLarge'> {
  return inTransaction(database, async (transaction) => {
    await lockOpenDispute(transaction, tenant, disputeId, by);
    const { rows } = await transaction.query<{ size: number; known: boolean }>(
      'SELECT octet_length(bytes) AS size, sha256 = $2 AS known FROM dispute_files WHERE dispute_id = $1',
      [disputeId, file.sha256],
    );
    if (rows.some(({ known }) => known)) return 'stored';
    if (rows.length >= maxDisputeFiles) return 'tooMany';
    const size = rows.reduce((sum, one) => sum + one.size, file.bytes.length);
    if (size > maxDisputeFilesBytes) return 'tooLarge';
    await transaction.query(
      `INSERT INTO dispute_files (id, merchant_id, environment, dispute_id, name, content_type, bytes, sha256)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        file.id,
        tenant.merchantId,
        tenant.environment,
        disputeId,
        file.name,
        file.contentType,
        file.bytes,
        file.sha256,
      ],
    );
    const after = factsOf({ ...file, size: file.bytes.length });
    const subject = { ...tenant, id: disputeId };
    await recordDisputeChange(transaction, subject, 'dispute.fileAdded', { before: null, after }, by);
    return 'stored';
  });
}

/**
 * Removes a file from a dispute's draft; an unknown file changes nothing. Refuses what `addDisputeFile`
 * refuses.
 */
export async function removeDisputeFile(
  database: Database,
  tenant: Tenant,
  of: { disputeId: string; id: string },
  by: By,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await lockOpenDispute(transaction, tenant, of.disputeId, by);
    const { rows } = await transaction.query<DisputeFile>(
      `DELETE FROM dispute_files WHERE id = $1 AND dispute_id = $2 AND merchant_id = $3 AND environment = $4
       RETURNING ${columns}`,
      [of.id, of.disputeId, tenant.merchantId, tenant.environment],
    );
    const [removed] = rows;
    if (!removed) return;
    const subject = { ...tenant, id: of.disputeId };
    const change = { before: factsOf(removed), after: null };
    await recordDisputeChange(transaction, subject, 'dispute.fileRemoved', change, by);
  });
}

/** Returns a file's facts for the audit log, without its name, which may contain customers' data. */
const factsOf = ({ id, contentType, size }: Pick<DisputeFile, 'id' | 'contentType' | 'size'>) => ({
  file: id,
  contentType,
  size,
});

async function lockOpenDispute(
  transaction: Queryable,
  { merchantId, environment }: Tenant,
  id: string,
  by: By,
): Promise<void> {
  const { rows } = await transaction.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE id = $1 AND merchant_id = $2 AND environment = $3 FOR UPDATE`,
    [id, merchantId, environment],
  );
  const [known] = rows;
  if (!known) throw new Refusal('not_found');
  const refused = refuseDisputeAnswer(known, 'stage', by.at);
  if (refused) throw new Refusal(refused);
}
