/** The dimensions by which declines of cards are counted. ADR 0053. */
export const cardTestingDimensions = ['merchant', 'key', 'address', 'bin', 'card'] as const;
export type CardTestingDimension = (typeof cardTestingDimensions)[number];

/** Declines within ten minutes after which one subject of each dimension is refused; 0: never. */
export interface DeclineLimits {
  declinesPerMerchant: number;
  declinesPerKey: number;
  declinesPerAddress: number;
  declinesPerBin: number;
  declinesPerCard: number;
}

/** The settings of the limits, with the dimension of each. */
export const declineLimits = {
  declinesPerMerchant: 'merchant',
  declinesPerKey: 'key',
  declinesPerAddress: 'address',
  declinesPerBin: 'bin',
  declinesPerCard: 'card',
} as const satisfies Record<keyof DeclineLimits, CardTestingDimension>;

export const declineLimitNames = Object.keys(declineLimits) as (keyof DeclineLimits)[];

/** The largest limit. */
export const maxDeclines = 1_000_000;

/** A BIN or a card (its keyed hash in hex) that was declined often. Level 1: challenge it; 2: refuse it. */
export interface DeclinedCard {
  dimension: 'bin' | 'card';
  subject: string;
  level: 0 | 1 | 2;
}

/**
 * Returns what follows from the declines of a card and of its BIN: the charge may be sent, needs a challenge,
 * or is refused because of one of them. Pure.
 */
export function decideByDeclines(
  declined: readonly DeclinedCard[],
  { bin, hash }: { bin: string | null; hash: string | null },
): 'send' | 'challenge' | { refuse: DeclinedCard['dimension'] } {
  const own = declined.filter(({ dimension, subject }) => subject === (dimension === 'bin' ? bin : hash));
  const refused = own.find(({ level }) => level === 2);
  if (refused) return { refuse: refused.dimension };
  return own.some(({ level }) => level === 1) ? 'challenge' : 'send';
}
