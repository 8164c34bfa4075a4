import * as z from 'zod';
import type { LineItem as Item } from '../../domain/payment.ts';
import { expected, openText, text } from '../http/fields.ts';
import { cents } from '../http/schema.ts';

/**
 * The most lines of one payment, chosen so that a page can list them and a customer can read them. ADR 0040.
 */
export const maxLineItems = 100;

const maxName = 120;
const maxQuantity = 9_999;
const maxAmountCents = 100_000_000;

const about = 'US cents for the whole line, so its quantity is counted already.';

const integer = (min: number, max: number) => {
  const rule = `an integer from ${min} to ${max}`;
  return z
    .int({ error: expected(rule) })
    .min(min, { error: `must be ${rule}` })
    .max(max, { error: `must be ${rule}` });
};

/** One line of the order in a request. */
const sentItem = z
  .strictObject(
    {
      name: openText(1, maxName),
      quantity: integer(1, maxQuantity),
      amountCents: integer(0, maxAmountCents).meta({ description: about }),
    },
    { error: expected('an object') },
  )
  .meta({ id: 'NewLineItem', description: 'One line of what is bought.' });

const count = { error: `must have 1 to ${maxLineItems} items` };

/** The lines of a payment in a request. Their sum is a rule of the whole body: `lineItemsFault`. */
export const lineItems = z
  .array(sentItem, { error: expected('a list') })
  .min(1, count)
  .max(maxLineItems, count)
  .meta({
    description:
      'What is bought; the customer sees it. The amounts of all lines add up to the amount of the payment.',
  });

/**
 * Returns the fault of lines whose sum differs from the payment's amount, or null. The text names both sums.
 */
export function lineItemsFault(items: readonly Item[], amountCents: number): string | null {
  const sum = items.reduce((all, item) => all + item.amountCents, 0);
  if (sum === amountCents) return null;
  return (
    `lineItems add up to ${sum} cents, but amountCents is ${amountCents}; ` +
    `the amountCents of an item is for its whole quantity`
  );
}

/** One line of the order in an answer. */
export const LineItem = z
  .strictObject({
    name: text(1, maxName),
    quantity: z.int().min(1).max(maxQuantity),
    amountCents: cents(0).meta({ description: about }),
  })
  .meta({
    id: 'LineItem',
    description: 'One line of what is bought.',
    examples: [{ name: 'Coffee beans, 250 g', quantity: 2, amountCents: 2500 }],
  });
