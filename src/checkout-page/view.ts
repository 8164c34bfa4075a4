import type { Branding } from '../domain/branding.ts';
import type { WalletMark } from '../domain/connector.ts';
import type { LineItem } from '../domain/payment.ts';
import type { Locale, Environment, PaymentMethod, TerminalReason } from '../domain/statuses.ts';
import type { Messages } from './messages.ts';

/** Why the last attempt failed, as the name of a text. */
export type FailureText = Extract<keyof Messages, `failure_${string}`>;

/** The notices that a redirect may name in the URL of the page, at most one at a time. */
export const notices = ['card', 'notSent', 'script'] as const;
export type Notice = (typeof notices)[number];

/** Light and dark follow the customer's system unless the shop that embeds the page chooses one. */
export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** The appearance that an embedding shop chose; a null value means the page's own. */
export interface Appearance {
  /** `#rrggbb`, in place of the accent in the shop's branding. */
  accent: string | null;
  radius: (typeof radii)[number] | null;
  font: (typeof fonts)[number] | null;
}
export const radii = ['none', 'small', 'large'] as const;
export const fonts = ['serif', 'humanist', 'mono'] as const;

/** Reads an appearance from the address of a page; unknown values are left out. */
export function appearanceOf(query: { accent?: unknown; radius?: unknown; font?: unknown }): Appearance {
  const { accent, radius, font } = query;
  return {
    accent: typeof accent === 'string' && /^[0-9a-f]{6}$/.test(accent) ? `#${accent}` : null,
    radius: radii.find((known) => known === radius) ?? null,
    font: fonts.find((known) => known === font) ?? null,
  };
}

export interface ShownCard {
  brand: string;
  last4: string;
}

/** The state that the page shows. Instants in epoch ms. */
export type PageState =
  /** `chosen` is null if the customer left a step and has not chosen a method yet. */
  | { kind: 'open'; methods: PaymentMethod[]; chosen: PaymentMethod | null; failure: FailureText | null }
  /** The shop collects the card (custom mode); the page only shows the state (AMB-22). */
  | { kind: 'elsewhere' }
  | { kind: 'processing'; card: ShownCard | null }
  | { kind: 'challenge'; url: string; windowUrl: string; mayLeave: boolean }
  | { kind: 'wallet'; url: string }
  | {
      kind: 'pix';
      code: string;
      settleUrl: string | null;
      expiresAtMs: number;
      /** The amount in cents of a real, with the rate used for it, if the network names one. */
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
  /** The browser's language, if the page is in another one that the customer did not choose; else null. */
  offered: Locale | null;
  theme: Theme | null;
  appearance: Appearance;
  /** Shown inside a page of the shop. */
  embedded: boolean;
  /** The shop's display name, else its name. */
  merchantName: string;
  branding: Branding;
  /** Host name of this service. */
  host: string;
  paymentId: string;
  reference: string;
  amountCents: number;
  /** The payment's description, in the merchant's words. */
  description: string | null;
  /** The items of the order, in the merchant's order; each amount is for the whole line. */
  items: readonly LineItem[];
  /** The name of the customer's wallet, if there is only one. */
  walletName: string | null;
  /** The drawing of that wallet; without it a plain one. */
  walletMark?: WalletMark | null;
  /** The frame with the buttons of Apple Pay and Google Pay; null if the network has none on this page. */
  walletFrameUrl: string | null;
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
  /** Sent with every form, to prove that the page itself sent it. */
  formToken: string;
  notice: Notice | null;
  /** Stays the same as long as the page would show the same. */
  fingerprint: string;
  state: PageState;
}

/**
 * Returns path and query of a page of this payment, with the customer's language and the shop's appearance.
 */
export function pagePath(
  { path, locale, theme, appearance }: Pick<CheckoutView, 'path' | 'locale' | 'theme' | 'appearance'>,
  verb = '',
): string {
  const chosen = {
    theme,
    accent: appearance.accent?.slice(1) ?? null,
    radius: appearance.radius,
    font: appearance.font,
  };
  const more = Object.entries(chosen).map(([name, value]) => (value === null ? '' : `&${name}=${value}`));
  return `${path}${verb}?lang=${locale}${more.join('')}`;
}

/** Returns the name of a method. The customer's wallet has its own, if there is only one. */
export const methodName = (
  method: PaymentMethod,
  { walletName }: Pick<CheckoutView, 'walletName'>,
  text: Messages,
): string => (method === 'wallet' && walletName !== null ? walletName : text[method]);

/** The latest attempt, from its row. */
export interface LastAttempt {
  attemptNo: number;
  status: string;
  method: PaymentMethod;
  failureCode: string | null;
  cardBrand: string | null;
  cardLast4: string | null;
  resolvedAtMs: number | null;
}

/** Returns the card of an attempt; null if it used none, or the card is not known yet. */
export const cardOf = (attempt: LastAttempt | null): ShownCard | null =>
  attempt !== null && attempt.cardBrand !== null && attempt.cardLast4 !== null
    ? { brand: attempt.cardBrand, last4: attempt.cardLast4 }
    : null;

/** A map, not an object: codes come from the network, and `constructor` must not match. */
const failureTexts: ReadonlyMap<string, FailureText> = new Map([
  ['card_declined', 'failure_declined'],
  // Shown like any other decline, so that the holder of a stolen card learns nothing from it.
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

/** Returns the text for a failed attempt; null for none, and for one that did not fail. */
export function failureText(attempt: Pick<LastAttempt, 'status' | 'failureCode'> | null): FailureText | null {
  if (!attempt) return null;
  if (attempt.status === 'voided') return 'failure_given_up';
  if (attempt.status !== 'declined' && attempt.status !== 'failed') return null;
  return failureTexts.get(attempt.failureCode ?? '') ?? 'failure_technical';
}

/** Returns a value that changes when the page must reload; it reveals no more than the page does. */
export function fingerprint(
  state: PageState,
  attempt: Pick<LastAttempt, 'attemptNo'> | null,
  attemptsLeft: number,
): string {
  const detail = state.kind === 'closed' ? `${state.reason}.${state.unsettled}` : attemptsLeft;
  // A running attempt is shown a moment before its row exists. With its number, the page would load twice.
  const attemptNo = state.kind === 'processing' ? '' : (attempt?.attemptNo ?? 0);
  return `${state.kind}.${attemptNo}.${detail}`;
}
