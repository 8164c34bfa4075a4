import { holdsCardNumber, referenceHoldsCardNumber } from '../../domain/card-number.ts';
import type { LineItem } from '../../domain/payment.ts';
import { maxLinkPayments } from '../../domain/payment-link.ts';
import { paymentMethods } from '../../domain/statuses.ts';
import { isLengthWithin, isStorableText } from '../../domain/text.ts';
import { checkUri } from '../../domain/urls.ts';
import type { CreateLinkCommand } from '../../operations/payment-links/create-link.ts';
import { isoDay, spanOf } from '../parts/days.ts';
import { centsOf, count, money } from '../parts/format.ts';
import { texts } from '../texts/en.ts';

const text = texts.paymentLinks;

/** The numbers of the form's item rows. */
export const itemRows = [1, 2, 3, 4, 5] as const;
const longest = { reference: 255, description: 500, itemName: 120 } as const;
const amounts = { min: 500, max: 100_000_000 } as const;
const maxPerItem = 9_999;

/** Thrown with the sentence that explains why a form is refused, and the name of the field at fault. */
class FormFault extends Error {
  readonly field: string;

  constructor(field: string, sentence: string) {
    super(sentence);
    this.field = field;
  }
}

/**
 * Returns the link that a form describes, or the field at fault and what to change. `allowHttpLoopback`:
 * loopback addresses may use plain HTTP, in development.
 */
export function readLinkForm(
  form: URLSearchParams,
  { timeZone, nowMs, allowHttpLoopback }: { timeZone: string; nowMs: number; allowHttpLoopback: boolean },
): { ok: true; command: CreateLinkCommand } | { ok: false; field: string; why: string } {
  const field = (name: string): string => (form.get(name) ?? '').trim();
  try {
    const amountCents = amountOf(field('amount'));
    const lineItems = itemsOf(field, amountCents);
    const [successUrl, cancelUrl] = (['successUrl', 'cancelUrl'] as const).map((name) => {
      if (checkUri(field(name), { allowHttpLoopback }).ok) return field(name);
      throw new FormFault(name, text.invalidUrl(text[name]));
    }) as [string, string];
    return {
      ok: true,
      command: {
        ...{ amountCents, lineItems, successUrl, cancelUrl },
        reference: referenceOf(field('reference')),
        description: descriptionOf(field('description')),
        methods: methodsOf(form),
        maxPayments: parseMaxPayments(field('maxPayments')),
        expiresAt: endOf(field('lastDay'), timeZone, nowMs),
      },
    };
  } catch (error) {
    if (error instanceof FormFault) return { ok: false, field: error.field, why: error.message };
    throw error;
  }
}

function amountOf(typed: string): number {
  const cents = centsOf(typed);
  if (cents === null) throw new FormFault('amount', text.invalidAmount);
  if (cents < amounts.min || cents > amounts.max) throw new FormFault('amount', text.amountRange);
  return cents;
}

function itemsOf(field: (name: string) => string, amountCents: number): LineItem[] | null {
  const items = itemRows.flatMap((place) => {
    const [name, quantity, amount] = [`itemName${place}`, `itemQuantity${place}`, `itemAmount${place}`].map(
      field,
    ) as [string, string, string];
    if (name === '' && amount === '') return [];
    const cents = centsOf(amount);
    const pieces = quantity === '' ? 1 : Number(quantity);
    const isNamed =
      isStorableText(name) && isLengthWithin(name, 1, longest.itemName) && !holdsCardNumber(name);
    const isCounted = Number.isInteger(pieces) && pieces >= 1 && pieces <= maxPerItem;
    if (isNamed && isCounted && cents !== null) return [{ name, quantity: pieces, amountCents: cents }];
    const wrong = !isNamed ? 'itemName' : !isCounted ? 'itemQuantity' : 'itemAmount';
    throw new FormFault(`${wrong}${place}`, text.invalidItem(place));
  });
  if (items.length === 0) return null;
  const sum = items.reduce((all, item) => all + item.amountCents, 0);
  if (sum !== amountCents) throw new FormFault('amount', text.itemsDiffer(money(sum), money(amountCents)));
  return items;
}

function referenceOf(typed: string): string {
  const isRight =
    isStorableText(typed) && isLengthWithin(typed, 1, longest.reference) && !referenceHoldsCardNumber(typed);
  if (!isRight) throw new FormFault('reference', text.invalidReference(longest.reference));
  return typed;
}

function descriptionOf(typed: string): string | null {
  if (typed === '') return null;
  const isRight =
    isStorableText(typed) && isLengthWithin(typed, 1, longest.description) && !holdsCardNumber(typed);
  if (!isRight) throw new FormFault('description', text.invalidDescription(longest.description));
  return typed;
}

function methodsOf(form: URLSearchParams): CreateLinkCommand['methods'] {
  const ticked = form.getAll('methods');
  const methods = paymentMethods.filter((method) => ticked.includes(method));
  return methods.length === 0 ? null : methods;
}

function parseMaxPayments(typed: string): number | null {
  if (typed === '') return null;
  const payments = Number(typed);
  if (!Number.isInteger(payments) || payments < 1 || payments > maxLinkPayments)
    throw new FormFault('maxPayments', text.invalidMaxPayments(count(maxLinkPayments)));
  return payments;
}

function endOf(typed: string, timeZone: string, nowMs: number): Date | null {
  if (typed === '') return null;
  const end = isoDay(typed) === '' ? null : (spanOf(typed, timeZone)?.end ?? null);
  if (end === null || end.getTime() <= nowMs) throw new FormFault('lastDay', text.invalidLastDay);
  return end;
}
