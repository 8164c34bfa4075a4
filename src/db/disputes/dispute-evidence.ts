import { type DisputeRecord, refuseDisputeAnswer } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { BeforeAfter, By } from '../../domain/audit.ts';
import { recordChange } from '../server/audit.ts';
import type { Queryable } from '../server/database.ts';
import { disputeColumns } from './dispute-reads.ts';
import type { Tenant } from '../payments/payments.ts';

/**
 * Replaces the staged evidence of a dispute before its deadline. Returns null for an unknown dispute. Refuses
 * dispute_closed, evidence_already_submitted, evidence_past_due (409). Must run inside a transaction.
 */
export async function stageEvidence(
  transaction: Queryable,
  tenant: Tenant,
  id: string,
  staged: { evidence: Record<string, string>; autoSubmit: boolean | null },
  by: By,
): Promise<DisputeRecord | null> {
  const { rows } = await transaction.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE id = $1 AND merchant_id = $2 AND environment = $3 FOR UPDATE`,
    [id, tenant.merchantId, tenant.environment],
  );
  const [known] = rows;
  if (!known) return null;
  const refused = refuseDisputeAnswer(known, 'stage', by.at);
  if (refused) throw new Refusal(refused);
  const written = await transaction.query<DisputeRecord>(
    `UPDATE disputes SET evidence = $2, auto_submit = coalesce($3, auto_submit) WHERE id = $1
     RETURNING ${disputeColumns}`,
    [id, JSON.stringify(staged.evidence), staged.autoSubmit],
  );
  const [stored] = written.rows;
  if (!stored) return null;
  await recordDisputeChange(
    transaction,
    { ...tenant, id },
    'dispute.evidenceStaged',
    { before: evidenceOf(known), after: evidenceOf(stored) },
    by,
  );
  return stored;
}

/** Returns only names and lengths for the audit log, because the texts contain customers' data. */
const evidenceOf = ({ evidence, autoSubmit }: DisputeRecord): Record<string, unknown> => ({
  characters: Object.fromEntries(Object.entries(evidence).map(([name, text]) => [name, text.length])),
  autoSubmit,
});

/** Writes a change of a dispute to the audit log. Must be the last statement of the change's transaction. */
export const recordDisputeChange = (
  transaction: Queryable,
  { id, merchantId, environment }: Tenant & { id: string },
  action: string,
  { before, after }: BeforeAfter,
  by: By,
): Promise<void> =>
  recordChange(transaction, {
    ...by,
    merchantId,
    environment,
    action,
    subject: { type: 'dispute', id },
    before,
    after,
  });

/**
 * Marks a dispute's evidence as submitted before it is sent, so that the stored evidence is what the network
 * receives. Returns the dispute with the evidence to send (also when an earlier run marked it), or null when
 * there is nothing to send.
 */
export async function markEvidenceSubmitted(
  database: Queryable,
  id: string,
  at: Date,
): Promise<DisputeRecord | null> {
  const { rows } = await database.query<DisputeRecord>(
    `UPDATE disputes SET submitted_at = coalesce(submitted_at, $2) WHERE id = $1 AND status = 'needsResponse'
     RETURNING ${disputeColumns}`,
    [id, at],
  );
  return rows[0] ?? null;
}

/**
 * Records that the hour before the deadline was reached: evidence that is staged later is not submitted
 * automatically.
 */
export async function markAutoSubmitted(database: Queryable, id: string): Promise<void> {
  await database.query('UPDATE disputes SET auto_submitted = true WHERE id = $1 AND NOT auto_submitted', [
    id,
  ]);
}

/** Records that the network rejected the evidence permanently, so that it counts as not submitted. */
export async function unmarkEvidenceSubmitted(database: Queryable, id: string): Promise<void> {
  await database.query(`UPDATE disputes SET submitted_at = NULL WHERE id = $1 AND status = 'needsResponse'`, [
    id,
  ]);
}
