import type { Locale, Environment, PaymentMethod, TerminalReason } from '../domain/statuses.ts';
import type { Messages } from './messages.ts';

/** Why the last attempt did not work, as a text of the catalogue. */
export type FailureText = Extract<keyof Messages, `failure_${string}`>;

/** What a redirect may ask the page to say; never more than one of these words travels in the URL. */
export const notices = ['card', 'busy', 'script'] as const;
export type Notice = (typeof notices)[number];

/** What the page shows, as the server knows it now. Instants in epoch ms. */
export type PageState =
  | { kind: 'open'; methods: PaymentMethod[]; chosen: PaymentMethod; failure: FailureText | null }
  /** A payment whose card the shop takes (custom mode): nothing to do here (AMB-22). */
  | { kind: 'elsewhere' }
  | { kind: 'processing' }
  | { kind: 'challenge'; url: string; windowUrl: string; mayLeave: boolean }
  | { kind: 'wallet'; url: string }
  | { kind: 'pix'; code: string; settleUrl: string | null; expiresAtMs: number }
  | { kind: 'paid'; card: { brand: string; last4: string } | null }
  | { kind: 'closed'; reason: TerminalReason; unsettled: boolean };

export interface CheckoutView {
  locale: Locale;
  merchantName: string;
  paymentId: string;
  reference: string;
  amountCents: number;
  environment: Environment;
  attemptsLeft: number;
  expiresAtMs: number;
  nowMs: number;
  successUrl: string;
  cancelUrl: string;
  /** Origins that may frame the page. */
  frameOrigins: string[];
  /** Path of this page, without query. */
  path: string;
  /** Goes with every form: the page itself sent it. */
  formToken: string;
  notice: Notice | null;
  /** Equal as long as the page would look the same. */
  fingerprint: string;
  state: PageState;
}

/** The latest attempt as its row tells it. */
export interface LastAttempt {
  attemptNo: number;
  status: string;
  method: PaymentMethod;
  failureCode: string | null;
  cardBrand: string | null;
  cardLast4: string | null;
}

/** A map: codes come from the network, and no name of a built-in may pass for one. */
const failureTexts: ReadonlyMap<string, FailureText> = new Map([
  ['card_declined', 'failure_declined'],
  // Said like any other decline: whoever holds a stolen card learns nothing from it.
  ['lost_card', 'failure_declined'],
  ['stolen_card', 'failure_declined'],
  ['fraud_suspected', 'failure_declined'],
  ['insufficient_funds', 'failure_funds'],
  ['expired_card', 'failure_expired'],
  ['incorrect_cvc', 'failure_code'],
  ['card_not_supported', 'failure_unsupported'],
  ['authentication_failed', 'failure_authentication'],
  ['wallet_declined', 'failure_wallet'],
  ['pix_rejected', 'failure_pix'],
]);

/** What the customer is told about an attempt that did not work; null when there is nothing to tell. */
export function failureText(attempt: LastAttempt | null): FailureText | null {
  if (!attempt) return null;
  if (attempt.status === 'voided') return 'failure_given_up';
  if (attempt.status !== 'declined' && attempt.status !== 'failed') return null;
  return failureTexts.get(attempt.failureCode ?? '') ?? 'failure_technical';
}

/** Changes when the page has to be shown anew; tells nobody more than the page does. */
export function fingerprint(
  state: PageState,
  attempt: Pick<LastAttempt, 'attemptNo'> | null,
  attemptsLeft: number,
): string {
  const detail = state.kind === 'closed' ? `${state.reason}.${state.unsettled}` : attemptsLeft;
  // A running attempt gets its row a moment after it shows: its number would only make the page load twice.
  const attemptNo = state.kind === 'processing' ? '' : (attempt?.attemptNo ?? 0);
  return `${state.kind}.${attemptNo}.${detail}`;
}
