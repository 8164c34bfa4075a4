import type { FastifyRequest } from 'fastify';
import { inTransaction } from '../../db/database.ts';
import { stageEvidence as stage } from '../../db/dispute-evidence.ts';
import { disputeView } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { parseStageEvidence } from './bodies.ts';
import { jsonBody, pathId, principalOf } from '../http/request.ts';
import { orRefuse } from '../http/input-failure.ts';

/** 150,000 characters of evidence, each up to six bytes in JSON. */
export const evidenceBodyBytes = 1024 * 1024;

/**
 * PUT /v1/disputes/{id}/evidence: 200 `{data: Dispute}` with the evidence that is now staged. Refuses:
 * validation_failed, not_found, dispute_closed, evidence_already_submitted, evidence_past_due.
 * docs/refunds-and-disputes.md.
 */
export const stageEvidence = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const parsed = orRefuse(parseStageEvidence(jsonBody(request)), 'validation_failed');
  const dispute = await inTransaction(deps.database, (transaction) =>
    stage(transaction, principalOf(request), id, parsed.command, new Date(deps.now())),
  );
  if (!dispute) throw new Refusal('not_found');
  return { data: disputeView(dispute) };
};
