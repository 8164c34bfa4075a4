import { readFileSync } from 'node:fs';

/** The networks whose marks are kept, with the names that customers read. */
export const cardBrands = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  elo: 'Elo',
  hipercard: 'Hipercard',
} as const;
export type CardBrand = keyof typeof cardBrands;

const isKnown = (brand: string): brand is CardBrand => Object.hasOwn(cardBrands, brand);

const drawing = (brand: CardBrand): string =>
  readFileSync(new URL(`./drawings/${brand}.svg`, import.meta.url), 'utf8').trim();

/** The marks as SVG files, by brand. Constants of this repository, so pages may contain them unescaped. */
const files = new Map(Object.keys(cardBrands).map((brand) => [brand, drawing(brand as CardBrand)]));

/** Returns the mark of a network as an SVG file of 34 × 22; null for a network without one. */
export const cardMarkFile = (brand: string): string | null => files.get(brand) ?? null;

/** Returns what is drawn in a network's mark, for an SVG of 34 × 22 units; null for a network without one. */
export const cardMarkShapes = (brand: string): string | null =>
  /^<svg[^>]*>(.*)<\/svg>$/s.exec(files.get(brand) ?? '')?.[1] ?? null;

/** Returns the name of a network as customers read it. An unknown one is spelled as the network spells it. */
export const cardBrandName = (brand: string): string => (isKnown(brand) ? cardBrands[brand] : brand);

/**
 * The mark of a network inside a page, 34 × 22 units; nothing for a network without one. It is decoration:
 * the name stands beside it. The page's style gives it its size by the class `brand`.
 */
export function CardMark({ brand }: { brand: string }) {
  const shapes = cardMarkShapes(brand);
  if (shapes === null) return null;
  return (
    <svg
      class="brand"
      viewBox="0 0 34 22"
      aria-hidden="true"
      focusable="false"
      dangerouslySetInnerHTML={{ ['__html']: shapes }}
    />
  );
}
