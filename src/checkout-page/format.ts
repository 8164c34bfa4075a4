import { cardBrandName } from '../card-marks/card-mark.tsx';
import type { Locale } from '../domain/statuses.ts';

/** Latin American Spanish and Brazilian Portuguese, because Pix is Brazilian. */
export const languageTags: Readonly<Record<Locale, string>> = { en: 'en-US', es: 'es-419', pt: 'pt-BR' };

/** Returns US cents as an amount in the customer's language. */
export function money(locale: Locale, amountCents: number): string {
  return new Intl.NumberFormat(languageTags[locale], {
    style: 'currency',
    currency: 'USD',
    // Many Spanish-speaking countries use the dollar sign for their own currency.
    currencyDisplay: locale === 'es' ? 'code' : 'symbol',
  }).format(amountCents / 100);
}

/** Returns cents of a Brazilian real as an amount, written as in Brazil except in English. */
export function reais(locale: Locale, amountCents: number): string {
  return new Intl.NumberFormat(locale === 'en' ? 'en-US' : 'pt-BR', {
    style: 'currency',
    currency: 'BRL',
  }).format(amountCents / 100);
}

/** Returns a rate of reais per dollar (a decimal such as `5.4321`), with all its decimal places. */
export function rateInReais(locale: Locale, rate: string): string {
  const places = rate.split('.')[1]?.length ?? 0;
  return new Intl.NumberFormat(locale === 'en' ? 'en-US' : 'pt-BR', {
    style: 'currency',
    currency: 'BRL',
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  }).format(Number(rate));
}

/**
 * Returns a clock time in UTC, with the zone's name: `4:10 PM UTC`, `4:10 p. m. UTC`, `16h10 UTC`. The page's
 * script replaces it with the time in the customer's zone (`assets/page/times.js`, by the same rules). Epoch
 * ms.
 *
 * `articles`: the words before a singular and before a plural hour, such as `la|las`. The fitting one is put
 * before the time: `la 1:05 p. m. UTC`, `las 2:05 p. m. UTC`.
 */
export function clockTime(locale: Locale, instantMs: number, articles = ''): string {
  const tag = languageTags[locale];
  const parts = new Intl.DateTimeFormat(tag, {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).formatToParts(instantMs);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((one) => one.type === type)?.value ?? '';
  const hour = Number(part('hour'));
  const minute = part('minute');
  // Brazil writes 14h and 14h05. Intl supports neither that nor the space in "p. m.".
  const time =
    locale === 'pt'
      ? `${hour}h${minute === '00' ? '' : minute} ${part('timeZoneName')}`
      : parts.map(({ value }) => value.replace('.m.', '.\u00a0m.')).join('');
  const [one = '', other = ''] = articles.split('|');
  const article = new Intl.PluralRules(tag).select(hour) === 'one' ? one : other;
  return article === '' ? time : `${article} ${time}`;
}

/** Returns day and clock time in UTC, the time as in `clockTime`; the script replaces it too. Epoch ms. */
export function dayAndTime(locale: Locale, instantMs: number): string {
  const day = new Intl.DateTimeFormat(languageTags[locale], {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(instantMs);
  return `${day}, ${clockTime(locale, instantMs)}`;
}

/**
 * A sentence split around its time, so that markup can mark the time. `articles` and `time`: see `clockTime`.
 */
export interface TimedText {
  before: string;
  articles: string;
  time: string;
  after: string;
}

/** Splits a text at `{time}`, which may be preceded by its articles: `Paga antes de {la|las} {time}`. */
export function withTime(locale: Locale, text: string, instantMs: number): TimedText {
  const [, before = text, articles = '', after = ''] =
    /^(.*?)(?:\{([^{}|]+\|[^{}|]+)\} )?\{time\}(.*)$/.exec(text) ?? [];
  return { before, articles, time: clockTime(locale, instantMs, articles), after };
}

/**
 * Returns a card in readable form: `Visa ···· 4242`. An unknown brand is spelled as the network spells it.
 */
export const cardName = ({ brand, last4 }: { brand: string; last4: string }): string =>
  `${cardBrandName(brand)} ···· ${last4}`;
