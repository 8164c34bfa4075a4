import { type DisputeRecord, refuseDisputeAnswer } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { BeforeAfter, By } from '../../domain/audit.ts';
import { recordChange } from '../server/audit.ts';
import type { Queryable } from '../server/database.ts';
import { disputeColumns } from './dispute-reads.ts';
import type { Tenant } from '../payments/payments.ts';

/**
 * Replaces the staged evidence of a dispute, in time. Returns null for an unknown one. Refuses
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
  await recordDispute(
    transaction,
    { ...tenant, id },
    'dispute.evidenceStaged',
    { before: evidenceOf(known), after: evidenceOf(stored) },
    by,
  );
  return stored;
}

/** The names and lengths only: the texts are about customers. */
const evidenceOf = ({ evidence, autoSubmit }: DisputeRecord): Record<string, unknown> => ({
  characters: Object.fromEntries(Object.entries(evidence).map(([name, text]) => [name, text.length])),
  autoSubmit,
});

/** Writes what was done to a dispute to the audit trail, in its transaction and last. */
export const recordDispute = (
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
 * Marks a dispute's evidence as on its way, before it is sent, so that what is stored is what was sent.
 * Returns the dispute with the evidence to send (also when an earlier run marked it), or null when nothing is
 * to be sent any more.
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

/** The hour before the deadline was reached: what is staged later is not submitted by itself. */
export async function markAutoSubmitted(database: Queryable, id: string): Promise<void> {
  await database.query('UPDATE disputes SET auto_submitted = true WHERE id = $1 AND NOT auto_submitted', [
    id,
  ]);
}

/** The network refused the evidence for good: it was not submitted after all. */
export async function unmarkEvidenceSubmitted(database: Queryable, id: string): Promise<void> {
  await database.query(`UPDATE disputes SET submitted_at = NULL WHERE id = $1 AND status = 'needsResponse'`, [
    id,
  ]);
}
