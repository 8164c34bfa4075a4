import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { findDispute } from '../../db/disputes/dispute-reads.ts';
import type { Database, Queryable } from '../../db/server/database.ts';
import { maxEvidenceCharacters } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import { pathId } from '../../http/request.ts';
import { type AnswerDisputeDeps, answerDispute } from '../../operations/disputes/answer-dispute.ts';
import {
  type StageEvidenceCommand,
  evidenceFieldName,
  maxEvidenceFields,
  stageEvidence as stage,
} from '../../operations/disputes/stage-evidence.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { expected, storableText } from '../http/fields.ts';
import {
  type InputFailure,
  failure,
  firstFault,
  idempotencyKey,
  jsonBody,
  requireEmptyBody,
  orRefuse,
} from '../http/input.ts';
import { isJsonObject } from '../http/metadata.ts';
import { TooManyValuesError } from '../http/strict-json.ts';

const evidenceText = storableText().meta({ maxLength: maxEvidenceCharacters });

/** The documented body of PUT /v1/disputes/{id}/evidence. docs/refunds-and-disputes.md. */
export const StageEvidenceBody = z
  .strictObject(
    {
      evidence: z.record(z.string(), evidenceText, { error: expected('an object of texts') }).meta({
        maxProperties: maxEvidenceFields,
        propertyNames: { type: 'string', pattern: evidenceFieldName.source },
        description: `Texts by name, replacing what was staged; at most ${maxEvidenceCharacters} characters in all.`,
      }),
      autoSubmit: z
        .boolean({ error: expected('true or false') })
        .meta({ description: 'Submit the staged evidence one hour before the deadline.' })
        .optional(),
    },
    { error: expected('a JSON object') },
  )
  .meta({
    id: 'StageEvidence',
    description: 'Evidence to stage. The texts may also be given at the top level, without `evidence`.',
    examples: [
      { evidence: { customerCommunication: 'The customer wrote on 3 May that the parcel arrived.' } },
    ],
  });

/**
 * The short form has the texts at the top level. It cannot be confused with the long form, because no text is
 * an object.
 */
function unfolded(body: unknown): unknown {
  if (!isJsonObject(body) || isJsonObject(body['evidence'])) return body;
  const { autoSubmit, ...evidence } = body;
  return { evidence, ...(autoSubmit === undefined ? {} : { autoSubmit }) };
}

/**
 * Turns the JSON value of an evidence request into a command, or names its first fault. A fault is answered
 * 422 validation_failed. The operation checks names and lengths.
 */
export function parseStageEvidence(
  body: unknown,
): { ok: true; command: StageEvidenceCommand } | InputFailure {
  const parsed = StageEvidenceBody.safeParse(unfolded(body));
  if (!parsed.success) {
    const fault = firstFault(parsed.error, StageEvidenceBody);
    // The name of the field comes from the caller, so the message does not repeat it.
    return fault.field.startsWith('evidence.') ? failure('evidence', 'evidence must hold texts only') : fault;
  }
  const { evidence, autoSubmit = null } = parsed.data;
  return { ok: true, command: { evidence, autoSubmit } };
}

/**
 * PUT /v1/disputes/{id}/evidence: 200 `{data: Dispute}` with the evidence that is now staged. Refuses:
 * validation_failed, not_found, dispute_closed, evidence_already_submitted, evidence_past_due.
 * docs/refunds-and-disputes.md.
 */
export const stageEvidence =
  (deps: { database: Database; now: () => number }) => async (request: FastifyRequest) => {
    const id = pathId(request);
    const parsed = orRefuse(readEvidence(request), 'validation_failed');
    return { data: await stage(deps, principalOf(request), id, parsed.command, actorOf(request)) };
  };

/**
 * Checks the owner of the dispute before a body of up to 1 MiB is read. Refuses: invalid_request for the
 * path, not_found.
 */
export const requireOwnDispute =
  ({ database }: { database: Queryable }) =>
  async (request: FastifyRequest) => {
    const dispute = await findDispute(database, principalOf(request), pathId(request));
    if (!dispute) throw new Refusal('not_found');
  };

/**
 * The body, its two members and the fields. A body with more values is refused before it is read to the end.
 */
const maxValues = maxEvidenceFields + 3;

function readEvidence(request: FastifyRequest): ReturnType<typeof parseStageEvidence> {
  try {
    return parseStageEvidence(jsonBody(request, { maxValues }));
  } catch (error) {
    if (error instanceof TooManyValuesError) {
      return failure('evidence', `evidence must have at most ${maxEvidenceFields} fields`);
    }
    throw error;
  }
}

/**
 * POST /v1/disputes/{id}/submit and /accept: 200 `{data: Dispute}` once the network accepted the answer,
 * which is final; a replay gets the same answer. Refuses: invalid_request, not_found, dispute_closed,
 * evidence_already_submitted, evidence_past_due, validation_failed of `evidence` when nothing is staged.
 * docs/refunds-and-disputes.md.
 */
export const answer =
  (deps: AnswerDisputeDeps, kind: 'submit' | 'accept') =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = principalOf(request);
    const id = pathId(request);
    const key = idempotencyKey(request);
    requireEmptyBody(request);
    const { result: data, replayed } = await answerDispute(
      deps,
      principal,
      { id, answer: kind, key },
      actorOf(request),
    );
    if (replayed) void reply.header('Idempotent-Replayed', 'true');
    return reply.send({ data });
  };
