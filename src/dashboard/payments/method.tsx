import { cardMarkShapes } from '../../card-marks/card-mark.tsx';
import { entryNamed } from '../../domain/entry-named.ts';
import { labelOf } from '../parts/format.ts';
import { None } from '../parts/parts.tsx';
import { texts } from '../texts/en.ts';

const text = texts.payments;

/** How a payment, or an attempt, was paid. */
interface Paying {
  method: string | null;
  cardBrand: string | null;
  cardLast4: string | null;
}

const shortBrands: Readonly<Record<string, string>> = text.shortBrands;

/** Returns a method as a label: `Pix`, or `Visa ·· 4242` for a card, which does not break over two lines. */
export const methodLabel = (method: string, brand: string | null, last4: string | null): string =>
  last4 === null ? labelOf(method) : text.card(labelOf(brand ?? 'card'), last4);

/** The mark of a card's brand, beside its name; nothing for a brand without one. */
function CardMark({ brand, isListed }: { brand: string | null; isListed: boolean }) {
  const shapes = cardMarkShapes(brand ?? '');
  if (shapes === null) return null;
  const svg = { class: 'card-mark', viewBox: '0 0 34 22', 'aria-hidden': true } as const;
  return isListed ? (
    <svg {...svg}>
      <use href={`#mark-${brand}`} />
    </svg>
  ) : (
    <svg {...svg} dangerouslySetInnerHTML={{ ['__html']: shapes }} />
  );
}

/**
 * The method of a payment, with its card's mark, brand and last digits. `isListed`: in a list, which has the
 * drawings of its marks once, before it ({@link SharedMarks}).
 */
export const Method = ({
  of: { method, cardBrand, cardLast4 },
  isListed = false,
}: {
  of: Paying;
  isListed?: boolean;
}) =>
  method === null ? (
    <None />
  ) : cardLast4 === null ? (
    <span class="method">{labelOf(method)}</span>
  ) : (
    <span class="method">
      <CardMark brand={cardBrand} isListed={isListed} />
      {text.card(entryNamed(shortBrands, cardBrand ?? '') ?? labelOf(cardBrand ?? 'card'), cardLast4)}
    </span>
  );

/** The drawings of the marks of a list's cards. */
export function SharedMarks({ of: rows }: { of: readonly Paying[] }) {
  const brands = [...new Set(rows.map(({ cardBrand }) => cardBrand ?? ''))];
  return (
    <svg class="sr-only" width="0" height="0" aria-hidden="true">
      {brands.map((brand) => {
        const shapes = cardMarkShapes(brand);
        return shapes === null ? null : (
          <symbol
            key={brand}
            id={`mark-${brand}`}
            viewBox="0 0 34 22"
            dangerouslySetInnerHTML={{ ['__html']: shapes }}
          />
        );
      })}
    </svg>
  );
}
