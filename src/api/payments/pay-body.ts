import * as z from 'zod';
import { firstFault, type InputFailure } from '../http/input.ts';
import { expected, text } from '../http/fields.ts';

/** Both are secrets of the merchant's backend: never logged, never echoed. */
export interface PayCommand {
  cardToken: string;
  captureReference: string;
}

/** The documented body of POST /v1/payments/{id}/pay. */
export const PayBody = z
  .strictObject(
    {
      cardToken: text(16, 4096).meta({ description: "The vault's token for this payment." }),
      captureReference: text(1, 31).meta({ description: 'Equal to `capture.reference`.' }),
    },
    { error: expected('a JSON object') },
  )
  .meta({
    id: 'Pay',
    description:
      "The vault's answer for this payment. Unknown fields are refused; card fields never belong here.",
    examples: [{ cardToken: 'tok_5f0c2b7e9a41d83c', captureReference: 'cap_8Jd02mKq' }],
  });

/**
 * Turns the JSON value of a pay request into a command, or names its first fault (unknown fields as `body`).
 * The answer to a fault is 400 invalid_request. Spec: POST /v1/payments/{id}/pay; AMB-01.
 */
export function parsePay(body: unknown): { ok: true; command: PayCommand } | InputFailure {
  const parsed = PayBody.safeParse(body);
  return parsed.success ? { ok: true, command: parsed.data } : firstFault(parsed.error);
}
