import type { Branding } from '../domain/branding.ts';
import type { Locale, Environment, PaymentMethod, TerminalReason } from '../domain/statuses.ts';
import type { Messages } from './messages.ts';

/** Why the last attempt did not work, as a text of the catalogue. */
export type FailureText = Extract<keyof Messages, `failure_${string}`>;

/** What a redirect may ask the page to say; never more than one of these words travels in the URL. */
export const notices = ['card', 'notSent', 'script'] as const;
export type Notice = (typeof notices)[number];

/** Light and dark follow the customer's system unless the shop that embeds the page says otherwise. */
export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export interface ShownCard {
  brand: string;
  last4: string;
}

/** What the page shows, as the server knows it now. Instants in epoch ms. */
export type PageState =
  /** `chosen` null: the customer left a step and has not said how to go on. */
  | { kind: 'open'; methods: PaymentMethod[]; chosen: PaymentMethod | null; failure: FailureText | null }
  /** A payment whose card the shop takes (custom mode): nothing to do here (AMB-22). */
  | { kind: 'elsewhere' }
  | { kind: 'processing'; card: ShownCard | null }
  | { kind: 'challenge'; url: string; windowUrl: string; mayLeave: boolean }
  | { kind: 'wallet'; url: string }
  | {
      kind: 'pix';
      code: string;
      settleUrl: string | null;
      expiresAtMs: number;
      /** The amount in cents of a real, with the rate that made it, where the network names one. */
      reais: { amountCents: number; rate: string; rateAtMs: number } | null;
    }
  | { kind: 'paid'; method: PaymentMethod | null; card: ShownCard | null; atMs: number | null }
  | {
      kind: 'closed';
      reason: TerminalReason;
      unsettled: boolean;
      method: PaymentMethod | null;
      card: ShownCard | null;
      atMs: number | null;
    };

export interface CheckoutView {
  locale: Locale;
  theme: Theme | null;
  /** Shown inside a shop's page, which shows itself already. */
  embedded: boolean;
  /** What the shop is called: its display name, else its name. */
  merchantName: string;
  branding: Branding;
  /** Host of this service, which runs the page. */
  host: string;
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

/** Path and query of a page of this payment that keeps the customer's language and looks. */
export function pagePath(
  { path, locale, theme }: Pick<CheckoutView, 'path' | 'locale' | 'theme'>,
  verb = '',
): string {
  return `${path}${verb}?lang=${locale}${theme === null ? '' : `&theme=${theme}`}`;
}

/** The latest attempt as its row tells it. */
export interface LastAttempt {
  attemptNo: number;
  status: string;
  method: PaymentMethod;
  failureCode: string | null;
  cardBrand: string | null;
  cardLast4: string | null;
  resolvedAtMs: number | null;
}

/** The card of an attempt; null where none was used, or it is not known yet. */
export const cardOf = (attempt: LastAttempt | null): ShownCard | null =>
  attempt !== null && attempt.cardBrand !== null && attempt.cardLast4 !== null
    ? { brand: attempt.cardBrand, last4: attempt.cardLast4 }
    : null;

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
export function failureText(attempt: Pick<LastAttempt, 'status' | 'failureCode'> | null): FailureText | null {
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
