import type { Locale } from '../domain/statuses.ts';

/** Portuguese here is that of Brazil, where pix is. */
const tags: Readonly<Record<Locale, string>> = { en: 'en-US', es: 'es', pt: 'pt-BR' };

/** US cents as an amount in the customer's language. */
export function money(locale: Locale, amountCents: number): string {
  return new Intl.NumberFormat(tags[locale], { style: 'currency', currency: 'USD' }).format(
    amountCents / 100,
  );
}

/** Clock time in UTC, said so; the page's script puts the customer's own time zone in its place. Epoch ms. */
export function clockTime(locale: Locale, instantMs: number): string {
  return new Intl.DateTimeFormat(tags[locale], {
    hour: '2-digit',
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

/** A card brand as people write it; an unknown one as the network spells it. */
export const brandName = (brand: string): string => brandNames.get(brand) ?? brand;
