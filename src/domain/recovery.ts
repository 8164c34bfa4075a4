import type { RefusalCode } from './refusals.ts';

/** The next step of a caller, as a word for programs. docs/errors.md, "What to do next". */
export const recoveries = [
  'read_status',
  'retry_same_key',
  'retry_later',
  'ask_customer',
  'new_payment',
  'fix_request',
  'none',
] as const;
export type Recovery = (typeof recoveries)[number];

/** The kinds of calls whose recovery differs: `attempt` is a pay or a confirm. */
export type CallKind = 'keyed' | 'attempt' | 'other';

/**
 * The next step after every refusal, by the kind of call where it differs. Spec: Errors > Retry policy,
 * Recovery table.
 */
const table: Readonly<Record<RefusalCode, Recovery | Readonly<Record<CallKind, Recovery>>>> = {
  invalid_request: 'fix_request',
  invalid_query: 'fix_request',
  unauthorized: 'fix_request',
  insufficient_scope: 'fix_request',
  address_not_allowed: 'fix_request',
  cap_reached: 'none',
  not_found: 'fix_request',
  idempotency_in_progress: 'retry_same_key',
  idempotency_key_reused: 'fix_request',
  payment_in_progress: 'read_status',
  action_required: 'ask_customer',
  confirmation_in_progress: 'read_status',
  confirmation_not_required: 'none',
  result_pending: 'read_status',
  checkout_expired: 'new_payment',
  attempts_exhausted: 'new_payment',
  validation_failed: 'fix_request',
  card_token_rejected: 'ask_customer',
  rate_limited: 'retry_later',
  too_many_declines: 'retry_later',
  // The request may still be processed. Its key finds the result; the result of a pay is read from the
  // status.
  service_unavailable: { keyed: 'retry_same_key', attempt: 'read_status', other: 'retry_later' },
  payment_not_refundable: 'none',
  refund_not_cancelable: 'none',
  evidence_already_submitted: 'none',
  sandbox_not_applicable: 'none',
  dispute_closed: 'none',
  evidence_past_due: 'none',
};

/** Returns the caller's next step after a refusal of this kind of call. */
export function recoveryOf(code: RefusalCode, kind: CallKind): Recovery {
  const recovery = table[code];
  return typeof recovery === 'string' ? recovery : recovery[kind];
}
