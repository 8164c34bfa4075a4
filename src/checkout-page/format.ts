import type { Locale } from '../domain/statuses.ts';

/** Spanish is that of Latin America, Portuguese that of Brazil, where Pix is. */
export const languageTags: Readonly<Record<Locale, string>> = { en: 'en-US', es: 'es-419', pt: 'pt-BR' };

/** US cents as an amount in the customer's language. */
export function money(locale: Locale, amountCents: number): string {
  return new Intl.NumberFormat(languageTags[locale], {
    style: 'currency',
    currency: 'USD',
    // Many countries of this language write their own money with the same sign.
    currencyDisplay: locale === 'es' ? 'code' : 'symbol',
  }).format(amountCents / 100);
}

/** Cents of a Brazilian real, written as in Brazil but for English. */
export function reais(locale: Locale, amountCents: number): string {
  return new Intl.NumberFormat(locale === 'en' ? 'en-US' : 'pt-BR', {
    style: 'currency',
    currency: 'BRL',
  }).format(amountCents / 100);
}

/** A rate of reais for one dollar (a decimal such as `5.4321`), with all its places. */
export function rateInReais(locale: Locale, rate: string): string {
  const places = rate.split('.')[1]?.length ?? 0;
  return new Intl.NumberFormat(locale === 'en' ? 'en-US' : 'pt-BR', {
    style: 'currency',
    currency: 'BRL',
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  }).format(Number(rate));
}

/** `4:10 PM`, but `04:10` where the day has 24 hours. */
const hour = (locale: Locale): 'numeric' | '2-digit' => (locale === 'pt' ? '2-digit' : 'numeric');

/** Clock time in UTC, said so; the page's script puts the customer's own time zone in its place. Epoch ms. */
export function clockTime(locale: Locale, instantMs: number): string {
  return new Intl.DateTimeFormat(languageTags[locale], {
    hour: hour(locale),
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(instantMs);
}

/**
 * Day and clock time in UTC, said so; the script puts the customer's own time zone in its place. Epoch ms.
 */
export function dayAndTime(locale: Locale, instantMs: number): string {
  return new Intl.DateTimeFormat(languageTags[locale], {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: hour(locale),
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(instantMs);
}

const brandNames: ReadonlyMap<string, string> = new Map([
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
  ['amex', 'American Express'],
]);

/** A card as people know it: `Visa ···· 4242`. An unknown brand is written as the network spells it. */
export const cardName = ({ brand, last4 }: { brand: string; last4: string }): string =>
  `${brandNames.get(brand) ?? brand} ···· ${last4}`;
