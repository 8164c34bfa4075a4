import * as z from 'zod';
import { jsonHoldsCardNumber } from '../../domain/card-number.ts';
import { disputeStatuses, maxEvidenceCharacters } from '../../domain/dispute.ts';
import { failure, firstFault, type InputFailure } from '../http/input.ts';
import { expected, noCardNumber, storableText, oneOf } from '../http/fields.ts';
import { isJsonObject } from '../http/metadata.ts';
import { utcDayParam, uuidParam } from '../http/query-params.ts';

/** Staged evidence: named texts, and whether they go out by themselves before the deadline. */
export interface StageEvidenceCommand {
  evidence: Record<string, string>;
  /** Null leaves it as it is. */
  autoSubmit: boolean | null;
}

export const maxEvidenceFields = 50;

export const tooManyFields: InputFailure = failure(
  'evidence',
  `evidence must have at most ${maxEvidenceFields} fields`,
);
const evidenceText = storableText().meta({ maxLength: maxEvidenceCharacters });
const fieldName = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** The documented body of PUT /v1/disputes/{id}/evidence. docs/refunds-and-disputes.md. */
export const StageEvidenceBody = z
  .strictObject(
    {
      evidence: z.record(z.string(), evidenceText, { error: expected('an object of texts') }).meta({
        maxProperties: maxEvidenceFields,
        propertyNames: { type: 'string', pattern: fieldName.source },
        description: `Texts by name, replacing what was staged; at most ${maxEvidenceCharacters} characters in all.`,
      }),
      autoSubmit: z
        .boolean({ error: expected('true or false') })
        .meta({ description: 'Submit what is staged one hour before the deadline.' })
        .optional(),
    },
    { error: expected('a JSON object') },
  )
  .meta({
    id: 'StageEvidence',
    description: 'Evidence to keep ready. The texts may also be given at the top level, without `evidence`.',
    examples: [
      { evidence: { customerCommunication: 'The customer wrote on 3 May that the parcel arrived.' } },
    ],
  });

/** The short form has the texts at the top level; the two cannot be confused, as no text is an object. */
function unfolded(body: unknown): unknown {
  if (!isJsonObject(body) || isJsonObject(body['evidence'])) return body;
  const { autoSubmit, ...evidence } = body;
  return { evidence, ...(autoSubmit === undefined ? {} : { autoSubmit }) };
}

/** Turns the JSON value of an evidence request into a command; faults are answered 422 validation_failed. */
export function parseStageEvidence(
  body: unknown,
): { ok: true; command: StageEvidenceCommand } | InputFailure {
  const parsed = StageEvidenceBody.safeParse(unfolded(body));
  if (!parsed.success) {
    const fault = firstFault(parsed.error);
    // A field's own name came from outside and is not shown.
    return fault.field.startsWith('evidence.') ? failure('evidence', 'evidence must hold texts only') : fault;
  }
  const { evidence, autoSubmit = null } = parsed.data;
  const names = Object.keys(evidence);
  if (names.length > maxEvidenceFields) return tooManyFields;
  if (!names.every((name) => fieldName.test(name))) {
    return failure('evidence', 'evidence must have field names of letters, digits and underscores');
  }
  const characters = Object.values(evidence).reduce((sum, value) => sum + Array.from(value).length, 0);
  if (characters > maxEvidenceCharacters) {
    return failure('evidence', `evidence must be at most ${maxEvidenceCharacters} characters in all`);
  }
  if (jsonHoldsCardNumber(evidence)) return failure('evidence', `evidence ${noCardNumber.error}`);
  return { ok: true, command: { evidence, autoSubmit } };
}

const instantParam = z
  .string()
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})$/)
  .refine((value) => Number.isFinite(Date.parse(value)))
  .transform((value) => new Date(value));

/**
 * Filters of GET /v1/disputes beside dates and paging. `dueBefore`: a UTC day, which it excludes, or an
 * instant.
 */
export const disputeFilters = z.object({
  status: oneOf(disputeStatuses).optional(),
  paymentId: uuidParam.optional(),
  dueBefore: z
    .union([utcDayParam, instantParam], { error: 'must be a date YYYY-MM-DD or an ISO 8601 instant' })
    .optional(),
});
