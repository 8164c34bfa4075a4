/** An entry of a timeline. `at`: ISO 8601 in UTC; `kind` and the members of `detail`: docs/readings.md. */
export interface TimelineEntry {
  at: string;
  kind: string;
  title: string;
  detail: Record<string, string | number | boolean | null>;
}

/** The order of entries of the same millisecond: causes before effects. */
export const entryOrder = [
  'created',
  'opened',
  'attempt',
  'payment',
  'checkout',
  'refund',
  'dispute',
  'webhook',
  'request',
] as const;
type Rank = (typeof entryOrder)[number];

/** An entry before it is sorted among the others. */
export interface DraftEntry extends Omit<TimelineEntry, 'at'> {
  at: Date;
  rank: Rank;
}

/** Returns the card's members of a detail; none when no card is known. */
export const cardOf = ({ cardBrand, cardLast4 }: { cardBrand: string | null; cardLast4: string | null }) =>
  cardLast4 === null ? {} : { cardBrand, cardLast4 };
