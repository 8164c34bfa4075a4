import { stageEvidence as stage } from '../../db/disputes/dispute-evidence.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import { type Database, inTransaction } from '../../db/server/database.ts';
import type { Actor } from '../../domain/audit.ts';
import { jsonHoldsCardNumber } from '../../domain/card-number.ts';
import { type DisputeView, disputeView, maxEvidenceCharacters } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import { isStorableText } from '../../domain/text.ts';

/** Staged evidence: named texts, and whether they are submitted before the deadline without another call. */
export interface StageEvidenceCommand {
  evidence: Record<string, string>;
  /** Null: unchanged. */
  autoSubmit: boolean | null;
}

export const maxEvidenceFields = 50;

/** The allowed names of evidence fields. */
export const evidenceFieldName = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Returns why evidence is refused, completing "evidence …", or null. docs/refunds-and-disputes.md. */
export function evidenceFault(evidence: Record<string, string>): string | null {
  const names = Object.keys(evidence);
  const texts = Object.values(evidence);
  if (!texts.every(isStorableText)) return 'must hold texts only';
  if (names.length > maxEvidenceFields) return `must have at most ${maxEvidenceFields} fields`;
  if (!names.every((name) => evidenceFieldName.test(name))) {
    return 'must have field names of letters, digits and underscores';
  }
  const characters = texts.reduce((sum, text) => sum + Array.from(text).length, 0);
  if (characters > maxEvidenceCharacters) {
    return `must be at most ${maxEvidenceCharacters} characters in all`;
  }
  return jsonHoldsCardNumber(evidence) ? 'must not contain a card number' : null;
}

/**
 * Replaces the staged evidence of a tenant's dispute and returns the dispute. Refuses: validation_failed,
 * not_found, dispute_closed, evidence_already_submitted, evidence_past_due.
 */
export async function stageEvidence(
  deps: { database: Database; now: () => number },
  tenant: Tenant,
  id: string,
  command: StageEvidenceCommand,
  actor: Actor,
): Promise<DisputeView> {
  const fault = evidenceFault(command.evidence);
  if (fault !== null) {
    throw new Refusal('validation_failed', { field: 'evidence', message: `evidence ${fault}` });
  }
  const by = { actor, at: new Date(deps.now()) };
  const dispute = await inTransaction(deps.database, (transaction) =>
    stage(transaction, tenant, id, command, by),
  );
  if (!dispute) throw new Refusal('not_found');
  return disputeView(dispute);
}
