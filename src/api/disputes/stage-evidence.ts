import type { FastifyRequest } from 'fastify';
import { inTransaction } from '../../db/server/database.ts';
import { stageEvidence as stage } from '../../db/disputes/dispute-evidence.ts';
import { findDispute } from '../../db/disputes/dispute-reads.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { Actor } from '../../domain/audit.ts';
import { type DisputeView, disputeView } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { maxEvidenceFields, type StageEvidenceCommand, parseStageEvidence, tooManyFields } from './bodies.ts';
import { TooManyValuesError } from '../http/strict-json.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { jsonBody, orRefuse } from '../http/input.ts';
import { pathId } from '../../http/request.ts';

/**
 * PUT /v1/disputes/{id}/evidence: 200 `{data: Dispute}` with the evidence that is now staged. Refuses:
 * validation_failed, not_found, dispute_closed, evidence_already_submitted, evidence_past_due.
 * docs/refunds-and-disputes.md.
 */
export const stageEvidence = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const parsed = orRefuse(readEvidence(request), 'validation_failed');
  return { data: await stageOwnEvidence(deps, principalOf(request), id, parsed.command, actorOf(request)) };
};

/**
 * Replaces what is staged for a tenant's dispute, for the API and the dashboard. Refuses as the route does.
 */
export async function stageOwnEvidence(
  deps: Pick<ApiDeps, 'database' | 'now'>,
  tenant: Tenant,
  id: string,
  command: StageEvidenceCommand,
  actor: Actor,
): Promise<DisputeView> {
  const by = { actor, at: new Date(deps.now()) };
  const dispute = await inTransaction(deps.database, (transaction) =>
    stage(transaction, tenant, id, command, by),
  );
  if (!dispute) throw new Refusal('not_found');
  return disputeView(dispute);
}

/**
 * Runs before a body of up to 1 MiB is read: whose dispute it is. Refuses: invalid_request for the path,
 * not_found.
 */
export const requireOwnDispute = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const dispute = await findDispute(deps.database, principalOf(request), pathId(request));
  if (!dispute) throw new Refusal('not_found');
};

/** The body and its two members, and the fields: whatever holds more is not read to its end. */
const maxValues = maxEvidenceFields + 3;

function readEvidence(request: FastifyRequest): ReturnType<typeof parseStageEvidence> {
  try {
    return parseStageEvidence(jsonBody(request, { maxValues }));
  } catch (error) {
    if (error instanceof TooManyValuesError) return tooManyFields;
    throw error;
  }
}
