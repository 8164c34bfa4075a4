import { z } from 'zod';
import { Refusal } from '../server.ts';
import { cardBehaviour, cardBrand, cvvLength } from '../test-cards.ts';

/** The numbers that a vault accepts, and the lengths of their security codes. */
export interface KnownCards {
  has: (number: string) => boolean;
  cvvLength: (number: string) => number;
}

const testCards: KnownCards = {
  has: (number) => cardBehaviour(number) !== null,
  cvvLength: (number) => cvvLength(cardBrand(number)),
};
import type { CardData } from './card-store.ts';

const cardFields = ['card_number', 'card_cvv', 'card_expiry_month', 'card_expiry_year'] as const;

const cardBody = z.strictObject({
  card_number: z.string().regex(/^\d{12,19}$/),
  card_cvv: z.string().regex(/^\d{3,4}$/),
  card_expiry_month: z.string().regex(/^(0[1-9]|1[0-2])$/),
  card_expiry_year: z.string().regex(/^\d{2}$/),
});

/**
 * Returns the card in a capture body. Refuses 400 `invalid_request` with the field (shape, expired card,
 * length of the security code) and 422 `card_not_supported` for a number that is not a published test number.
 * No refusal quotes a value.
 */
export function parseCard(
  body: unknown,
  now: number,
  known: KnownCards = testCards,
): { card: CardData; cvv: string } {
  const result = cardBody.safeParse(body);
  if (!result.success) throw badField(firstWrongField(result.error));
  const {
    card_number: number,
    card_cvv: cvv,
    card_expiry_month: expMonth,
    card_expiry_year: expYear,
  } = result.data;
  if (!known.has(number)) {
    throw new Refusal(
      422,
      'card_not_supported',
      'Only the published test cards are accepted here.',
      'card_number',
    );
  }
  if (cvv.length !== known.cvvLength(number)) throw badField('card_cvv');
  if (isExpired(expMonth, expYear, now)) {
    throw new Refusal(400, 'invalid_request', 'The card has expired.', 'card_expiry_year');
  }
  return { card: { number, expMonth, expYear }, cvv };
}

/** Whether a card has expired: it is valid until the last moment of its month, UTC. */
function isExpired(month: string, year: string, now: number): boolean {
  return now >= Date.UTC(2000 + Number(year), Number(month));
}

function firstWrongField(error: z.ZodError): string {
  const wrong = new Set(error.issues.map((issue) => issue.path[0]));
  return cardFields.find((field) => wrong.has(field)) ?? 'body';
}

function badField(field: string): Refusal {
  const message =
    field === 'body'
      ? 'The body must hold exactly the four card fields.'
      : `The field ${field} is missing or wrong.`;
  return new Refusal(400, 'invalid_request', message, field);
}
