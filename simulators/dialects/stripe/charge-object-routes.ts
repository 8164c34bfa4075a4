import { z } from 'zod';
import type { Call, Calls } from './calls.ts';
import type { Caller } from './auth.ts';
import { pageOf } from './lists.ts';
import { expand, listParameters } from './parameters.ts';
import type { ApiObject } from './views.ts';

/** A refund or dispute of a charge. */
interface OfCharge extends Caller {
  id: string;
  createdAt: number;
  chargeId: string;
  intentId: string;
}

const listed = z.strictObject({
  ...listParameters,
  charge: z.string().max(66).optional(),
  payment_intent: z.string().max(66).optional(),
});

/** Registers the reads of refunds and disputes: one by its id, and a list by charge or intent. */
export function readChargeObjects<Doc extends OfCharge>(
  calls: Calls,
  noun: 'refunds' | 'disputes',
  books: {
    find: (caller: Caller, id: string) => Doc;
    all: () => Doc[];
    show: (doc: Doc) => ApiObject;
    /** Returns the payment of an object, where faults may be injected for one payment. */
    paymentOf?: (call: Call<unknown>) => string | null;
  },
): void {
  const path = `/v1/${noun}`;
  calls.get(`${path}/:id`, {
    kind: `${noun}.retrieve`,
    schema: z.strictObject({ expand }),
    ...(books.paymentOf && { paymentOf: books.paymentOf }),
    run: ({ caller, id }) => ({ object: books.show(books.find(caller, id)) }),
  });
  calls.get(path, {
    kind: `${noun}.list`,
    schema: listed,
    run: ({ caller, parameters }) => {
      const { charge, payment_intent: intent } = parameters;
      const found = books
        .all()
        .filter((each) => (charge ?? each.chargeId) === each.chargeId)
        .filter((each) => (intent ?? each.intentId) === each.intentId);
      return { object: pageOf(path, caller, found, parameters, books.show) };
    },
  });
}
