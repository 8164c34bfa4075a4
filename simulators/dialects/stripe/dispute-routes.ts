import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { type Call, Calls } from './calls.ts';
import { readChargeObjects } from './charge-object-routes.ts';
import type { StripeContext } from './context.ts';
import { badParameter, ruleError } from './errors.ts';
import { expand, flag, metadata } from './parameters.ts';
import { paymentIdOf } from './payment-reference.ts';
import type { Dispute } from './records.ts';
import { EVIDENCE_FIELDS } from './money-views.ts';

const DECIDED_AFTER_MS = 1_000;
/** Limit for all texts of one dispute together, as documented. */
const MAX_EVIDENCE_CHARS = 150_000;
/** That many characters, each written as three escaped bytes, and the names of the fields. */
const EVIDENCE_LIMIT_BYTES = 2 * 1024 * 1024;

const evidence = z.strictObject(
  Object.fromEntries(EVIDENCE_FIELDS.map((name) => [name, z.string().max(20_000).optional()])),
);

const updateParameters = z.strictObject({
  evidence: evidence.optional(),
  submit: flag.default(true),
  metadata,
  expand,
});

/** Disputes: read, listed, answered with evidence, and accepted. */
export function disputeRoutes(stripe: StripeContext): FastifyPluginAsync {
  const { ledger } = stripe;
  const paymentOf = ({ id }: Call<unknown>): string | null => {
    const charge = ledger.findCharge(ledger.findDispute(id)?.chargeId ?? '');
    return charge ? paymentIdOf(charge) : null;
  };

  return async (app) => {
    const calls = new Calls(stripe, app);

    readChargeObjects(calls, 'disputes', {
      find: (caller, id) => ledger.dispute(caller, id),
      all: () => ledger.disputes(),
      show: (dispute) => ledger.showDispute(dispute),
      paymentOf,
    });

    calls.post('/v1/disputes/:id', {
      kind: 'disputes.update',
      bodyLimitBytes: EVIDENCE_LIMIT_BYTES,
      schema: updateParameters,
      paymentOf,
      run: ({ caller, id, parameters, cause }) => {
        const dispute = openDispute(ledger.dispute(caller, id), stripe.now());
        const changed = withEvidence(dispute, parameters, stripe.now());
        return { object: ledger.showDispute(ledger.updateDispute(changed, cause)) };
      },
    });

    calls.post('/v1/disputes/:id/close', {
      kind: 'disputes.close',
      schema: z.strictObject({ expand }),
      paymentOf,
      run: ({ caller, id, cause }) => {
        const dispute = ledger.dispute(caller, id);
        if (dispute.status !== 'needs_response' && dispute.status !== 'warning_needs_response') {
          throw ruleError(400, { message: 'This dispute is already closed.' });
        }
        const status = dispute.status === 'needs_response' ? 'lost' : 'warning_closed';
        return { object: ledger.showDispute(ledger.closeDispute(dispute, status, cause)) };
      },
    });
  };
}

/** Returns the dispute while evidence is still accepted; throws otherwise. */
function openDispute(dispute: Dispute, now: number): Dispute {
  if (dispute.status !== 'needs_response' && dispute.status !== 'warning_needs_response') {
    throw ruleError(400, { message: 'This dispute has already been submitted or is closed.' });
  }
  if (now < dispute.dueBy) return dispute;
  throw ruleError(400, { message: 'The due date of this dispute has passed.' });
}

/** Merges evidence; an empty text removes a field. Words in submitted evidence decide the dispute. */
function withEvidence(
  dispute: Dispute,
  { evidence: given = {}, submit, metadata: marks }: z.infer<typeof updateParameters>,
  now: number,
): Dispute {
  const merged = Object.fromEntries(
    Object.entries({ ...dispute.evidence, ...given }).flatMap(([name, text]) =>
      text === undefined || text === '' ? [] : [[name, text] as const],
    ),
  );
  const evidenceText = Object.values(merged).join(' ');
  if (evidenceText.length > MAX_EVIDENCE_CHARS) {
    throw badParameter('evidence', 'The combined character count of all evidence fields is too large.');
  }
  const changed = { ...dispute, evidence: merged, metadata: { ...dispute.metadata, ...marks } };
  if (!submit) return changed;
  const inquiry = dispute.status === 'warning_needs_response';
  return {
    ...changed,
    status: inquiry ? 'warning_under_review' : 'under_review',
    submissions: dispute.submissions + 1,
    due: decided(evidenceText, inquiry, now),
  };
}

function decided(evidenceText: string, inquiry: boolean, now: number): Dispute['due'] {
  const at = now + DECIDED_AFTER_MS;
  if (evidenceText.includes('winning_evidence')) return { at, status: inquiry ? 'warning_closed' : 'won' };
  return evidenceText.includes('losing_evidence')
    ? { at, status: inquiry ? 'warning_closed' : 'lost' }
    : null;
}
