import { type Transition, isClosing } from '../../domain/transition.ts';
import type { RecordableAnswer } from './attempt-answers.ts';
import type { Queryable } from '../server/database.ts';

/** The stored answers of the provider that allow an attempt to get each status. */
const answersFor = {
  requiresAction: ['requires_action'],
  paid: ['captured'],
  declined: ['declined'],
  failed: ['failed'],
  voided: ['voided'],
  released: ['not_sent', 'token_rejected'],
} as const satisfies Record<NonNullable<Transition['attempt']>['status'], readonly RecordableAnswer[]>;

/**
 * The deadline of the payment $1 at the time when it passed. A deadline that the sandbox's clock moved into
 * the past counts as passed at the time of the move.
 */
const passedDeadline = `(SELECT greatest(p.expires_at, (SELECT max(v.until) FROM payment_versions v
    WHERE v.payment_id = p.id AND v.expires_at > p.expires_at)) FROM payments p WHERE p.id = $1)`;

/** The result of writing a transition's attempt. */
export interface WrittenAttempts {
  result: 'written' | 'contradicted' | 'superseded';
  /** The money was captured after the checkout's deadline. */
  late: boolean;
}

/**
 * Stores the result of the resolved attempt. When the checkout closes, it also ends a reservation that came
 * too late to be claimed. In these cases nothing is written:
 * - `contradicted`: the provider's answer that the receiving process stored is a different one. Either the
 *   result did not come from one of our workers, or the answer was not received.
 * - `superseded`: no transition may follow this one, but another attempt was claimed. Its worker may have
 *   died with the workflow task, so that the rows know of the charge but the workflow does not.
 */
export async function writeAttempts(
  transaction: Queryable,
  transition: Transition,
): Promise<WrittenAttempts> {
  const { paymentId, at, attempt, final } = transition;
  const { rows } = await transaction.query<Counts>(
    `WITH others AS (
       SELECT claimed_at FROM attempts
       WHERE payment_id = $1 AND status = 'processing' AND attempt_no IS DISTINCT FROM $2
     ), resolved AS (
       UPDATE attempts SET status = $3, failure_code = $4, failure_message = $5,
         -- A result that the workflow reports again, or later than it was written, keeps its time.
         resolved_at = CASE WHEN status = $3 THEN least(resolved_at, $6) ELSE $6 END,
         card_brand = coalesce($7, card_brand), card_last4 = coalesce($8, card_last4),
         action_sealed = CASE WHEN $3 = 'requiresAction' THEN action_sealed END, token_sealed = NULL,
         unknown_since = NULL,
         -- Late depends on when the money was captured, not on when the capture was noticed.
         late = CASE WHEN $3 = 'paid' THEN $12 AND coalesce(captured_at > ${passedDeadline}, true) END
       WHERE payment_id = $1 AND attempt_no = $2 AND answer = ANY ($9)
         AND NOT ($11 AND EXISTS (SELECT FROM others WHERE claimed_at IS NOT NULL))
       RETURNING attempt_no, late
     ), unsent AS (
       UPDATE attempts SET status = 'released', answer = 'not_sent', token_sealed = NULL, resolved_at = now()
       WHERE $10 AND payment_id = $1 AND status = 'processing' AND claimed_at IS NULL
         AND attempt_no IS DISTINCT FROM $2 AND ($2 IS NULL OR EXISTS (SELECT FROM resolved))
       RETURNING attempt_no
     )
     SELECT $2 IS NULL OR EXISTS (SELECT FROM resolved) AS written,
       (SELECT count(*) FROM others)::int AS others, (SELECT count(*) FROM unsent)::int AS released,
       coalesce((SELECT late FROM resolved), false) AS late`,
    [
      paymentId,
      attempt?.attemptNo ?? null,
      attempt?.status ?? null,
      attempt?.failureCode ?? null,
      attempt?.message ?? null,
      attempt?.status === 'requiresAction' ? null : new Date(at),
      attempt?.card?.brand ?? null,
      attempt?.card?.last4 ?? null,
      attempt ? answersFor[attempt.status] : [],
      isClosing(transition),
      final,
      transition.checkoutStatus === 'expired',
    ],
  );
  const [{ written, others, released, late } = none] = rows;
  if (!final || others === released) return { result: written ? 'written' : 'contradicted', late };
  // The attempt was claimed after this statement read it. The statement is rolled back, and the retry sees
  // the claim.
  if (attempt && written) throw new Error(`an attempt of payment ${paymentId} is being claimed`);
  return { result: 'superseded', late };
}

/**
 * The result of the statement. `others`: other attempts in progress; `released`: how many of them it
 * released.
 */
interface Counts {
  written: boolean;
  others: number;
  released: number;
  late: boolean;
}

const none: Counts = { written: false, others: 0, released: 0, late: false };
