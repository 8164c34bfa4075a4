import { z } from 'zod';
import type { CardFacts } from '../../domain/card.ts';

/** The result of sending a card to make a payment method. */
export type PaymentMethodResult =
  | { status: 'made'; paymentMethod: string; card: CardFacts }
  | { status: 'declined'; code: string | null; declineCode: string | null }
  | { status: 'token_rejected' };

const text = z
  .string()
  .nullish()
  .transform((value) => value?.slice(0, 128) ?? null);

const paymentMethodSchema = z.object({
  id: z.string().regex(/^pm_\w{1,255}$/),
  object: z.literal('payment_method'),
  card: z.object({
    brand: z.string().min(1).max(64),
    last4: z.string().regex(/^\d{4}$/),
    country: text,
    funding: text,
    regulated_status: text,
    fingerprint: text,
  }),
});

const errorSchema = z.object({
  error: z.object({
    type: z.string(),
    code: z.string().max(128).nullish(),
    decline_code: z.string().max(128).nullish(),
  }),
});

/** The proxy's envelope around the third party's answer. */
const envelopeSchema = z.object({
  status_code: z.coerce.number().optional(),
  status: z.coerce.number().optional(),
  body: z.string(),
});

/**
 * Returns the result in the proxy's answer, in its envelope or as the third party's own body; null for an
 * answer that is neither a payment method, nor a decline of the card, nor a refusal to use the key twice.
 */
export function readProxyAnswer(answer: unknown): PaymentMethodResult | null {
  const envelope = envelopeSchema.safeParse(answer);
  const body = envelope.success ? parsed(envelope.data.body) : answer;
  const status = envelope.success ? (envelope.data.status_code ?? envelope.data.status) : undefined;

  const made = paymentMethodSchema.safeParse(body);
  if (made.success && (status ?? 200) === 200) return methodOf(made.data);
  const refused = errorSchema.safeParse(body);
  if (!refused.success) return null;
  const { type, code, decline_code: declineCode } = refused.data.error;
  if (type === 'card_error') {
    return { status: 'declined', code: code ?? null, declineCode: declineCode ?? null };
  }
  // The data behind the token changed since the key was first used, so its owner is uncertain.
  return type === 'idempotency_error' ? { status: 'token_rejected' } : null;
}

/** Returns a payment method of Stripe; null for anything else. */
export function readPaymentMethod(answer: unknown): Extract<PaymentMethodResult, { status: 'made' }> | null {
  const made = paymentMethodSchema.safeParse(answer);
  return made.success ? methodOf(made.data) : null;
}

function methodOf({
  id,
  card,
}: z.infer<typeof paymentMethodSchema>): Extract<PaymentMethodResult, { status: 'made' }> {
  const regulated = { regulated: 'yes', unregulated: 'no' }[card.regulated_status ?? ''] ?? null;
  return {
    status: 'made',
    paymentMethod: id,
    card: {
      brand: card.brand,
      last4: card.last4,
      // Stripe does not return the BIN, and the vault returns it only to the sender of the card.
      bin: null,
      fingerprint: card.fingerprint,
      issuer: {
        bank: null,
        countryCode: card.country,
        countryName: null,
        type: card.funding === 'unknown' ? null : card.funding,
        level: null,
        category: null,
        regulated,
      },
    },
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
