import type { FastifyRequest } from 'fastify';
import { type Appearance, appearanceOf, type Theme, themes } from '../../checkout-page/view.ts';
import { equalHashes, type Keyring } from '../../crypto/keyring.ts';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { type CheckoutRecord, findCheckoutByToken } from '../../db/payments/checkouts.ts';
import type { Queryable } from '../../db/server/database.ts';
import { Refusal } from '../../domain/refusals.ts';
import { type Locale, locales } from '../../domain/statuses.ts';
import type { Bucket, RateLimiter } from '../../operations/rate-limits.ts';
import { bodyBytes } from '../../http/request.ts';

/** One customer's visit to the page of one payment. */
export interface Visit {
  payment: CheckoutRecord;
  /** Path of the checkout page, without query. */
  path: string;
  locale: Locale;
  /** The browser's language if it differs from the page's language, which the merchant chose; else null. */
  offered: Locale | null;
  /** The theme that the embedding shop chose; null follows the customer's own setting. */
  theme: Theme | null;
  appearance: Appearance;
  /** Whether the page is embedded in the shop's page. */
  embedded: boolean;
}

/** The dependencies for finding a visit and checking its forms. */
export interface VisitDeps {
  database: Queryable;
  keyring: Keyring;
  publicUrl: string;
}

/**
 * Returns the payment of a checkout link, found by the keyed hash of its secret; null for an invalid link.
 */
export async function findVisit(
  deps: Pick<VisitDeps, 'database' | 'keyring'>,
  request: FastifyRequest,
): Promise<Visit | null> {
  const { token } = request.params as { token: string };
  const payment = await findCheckoutByToken(
    deps.database,
    deps.keyring.lookupHashes(hashPurposes.checkoutToken, token),
  );
  if (!payment) return null;
  const query = request.query as Record<string, unknown>;
  const { lang, theme } = query;
  const chosen = locales.find((locale) => locale === lang);
  const locale = chosen ?? pageLocale(request, payment);
  const browser = browserLocale(request);
  return {
    payment,
    path: `/c/${encodeURIComponent(token)}`,
    locale,
    offered: chosen === undefined && browser !== locale ? browser : null,
    theme: themes.find((known) => known === theme) ?? null,
    appearance: appearanceOf(query),
    embedded: isFramed(request),
  };
}

/**
 * Returns the language of a payment's page if the address names none: the browser's if the payment leaves the
 * choice open (`localeAuto`), else the payment's.
 */
export const pageLocale = (
  request: FastifyRequest,
  { locale, localeAuto }: Pick<CheckoutRecord, 'locale' | 'localeAuto'>,
): Locale => (localeAuto ? browserLocale(request) : null) ?? locale;

/** Returns the language that the browser prefers among those of the pages, or null. */
function browserLocale(request: FastifyRequest): Locale | null {
  const ranges = (request.headers['accept-language'] ?? '').split(',').map((range) => {
    const [tag = '', ...parameters] = range
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return { language: tag.split('-', 1)[0], quality: Number(quality) };
  });
  for (const { language, quality } of ranges.toSorted((a, b) => b.quality - a.quality)) {
    const known = quality > 0 ? locales.find((locale) => locale === language) : undefined;
    if (known) return known;
  }
  return null;
}

/**
 * Returns the language of a page that belongs to no payment: the one in the address, else the first supported
 * language of the browser.
 */
export function callerLocale(request: FastifyRequest): Locale {
  const { lang } = request.query as { lang?: unknown };
  return locales.find((locale) => locale === lang) ?? browserLocale(request) ?? 'en';
}

/**
 * Returns whether the browser shows the answer in a frame. Old browsers do not report this; they count as not
 * framed.
 */
export const isFramed = (request: FastifyRequest): boolean =>
  request.headers['sec-fetch-dest'] === 'iframe' || request.headers['sec-fetch-dest'] === 'frame';

const formPurpose = 'page-form';

/** Returns the token that a page of this payment sends with every form. */
export function formToken(keyring: Keyring, paymentId: string): string {
  return keyring.lookupHash(formPurpose, paymentId).toString('base64url');
}

/**
 * Returns the fields of a form that this service's own page sent. Refuses (400) a form of another site, by
 * the browser's Origin headers and by a token that only this payment's page has.
 */
export function formFields(
  deps: Pick<VisitDeps, 'keyring' | 'publicUrl'>,
  request: FastifyRequest,
  payment: CheckoutRecord,
): URLSearchParams {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const fields = new URLSearchParams(Buffer.from(bodyBytes(request) ?? []).toString('utf8'));
  const foreignSite = site !== undefined && site !== 'same-origin';
  // Pages under `no-referrer` send `null` with their own forms.
  const foreignOrigin =
    origin !== undefined && origin !== 'null' && origin !== new URL(deps.publicUrl).origin;
  const sent = Buffer.from(fields.get('form') ?? '', 'base64url');
  const known = deps.keyring.lookupHashes(formPurpose, payment.id).some((hash) => equalHashes(sent, hash));
  if (foreignSite || foreignOrigin || !known) {
    throw new Refusal('invalid_request', { message: 'The request does not come from the checkout page.' });
  }
  return fields;
}

/** Returns whether the page's script sent the request and expects JSON. A form gets pages and redirects. */
export const wantsJson = (request: FastifyRequest): boolean =>
  (request.headers.accept ?? '').includes('application/json');

/** The dependencies for limiting the use of a page. */
export interface LimitDeps {
  limiter: RateLimiter;
}

/**
 * Limits a visitor's actions on one payment as strictly as the merchant's own calls. Refuses: rate_limited.
 */
export const takePageAction = (deps: LimitDeps, paymentId: string): Promise<void> =>
  take(deps, { name: 'payment.act', subject: `page:${paymentId}` });

/** Limits reads of the state, separately from actions. Refuses: rate_limited. */
export const takePageRead = (deps: LimitDeps, paymentId: string): Promise<void> =>
  take(deps, { name: 'payment.read', subject: `page:${paymentId}` });

/**
 * Limits requests for the card fields, separately, so that they do not use up the reads of the state.
 * Refuses: rate_limited.
 */
export const takeFieldsRead = (deps: LimitDeps, paymentId: string): Promise<void> =>
  take(deps, { name: 'payment.read', subject: `fields:${paymentId}` });

async function take(deps: LimitDeps, bucket: Bucket): Promise<void> {
  const decision = await deps.limiter.take([bucket]);
  if (decision?.admitted === false) {
    throw new Refusal('rate_limited', { retryAfterSeconds: decision.retryAfterSeconds });
  }
}
