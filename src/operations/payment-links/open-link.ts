import { uuidv7 } from 'uuidv7';
import { tenantSettings } from '../../db/merchants/api-keys.ts';
import { reserveUse } from '../../db/payment-links/payment-links.ts';
import { type PaymentLink, isLinkClosed } from '../../domain/payment-link.ts';
import { Refusal } from '../../domain/refusals.ts';
import { bodyHash } from '../idempotency.ts';
import { type CreatePaymentDeps, type CreationResult, createPayment } from '../payments/create-payment.ts';

/**
 * Creates the hosted payment that a link offers, in the language of the customer's browser. Returns null when
 * the link starts no payment: it is closed or used up, or the merchant no longer offers its methods. Refuses:
 * service_unavailable (503).
 */
export async function openLink(deps: CreatePaymentDeps, link: PaymentLink): Promise<CreationResult | null> {
  const { database } = deps;
  if (isLinkClosed(link, new Date(deps.now()))) return null;
  const settings = await tenantSettings(database, link);
  if (settings === null) return null;
  const methods = settings.methods.filter((method) => link.methods?.includes(method) ?? true);
  const paymentId = uuidv7();
  if (!(await reserveUse(database, { linkId: link.id, paymentId }))) return null;
  const { merchantId, environment, amountCents, reference, successUrl, cancelUrl } = link;
  try {
    const { result } = await createPayment(
      deps,
      { ...settings, methods },
      { merchantId, environment, operation: 'open_payment_link', key: paymentId, bodyHash: bodyHash({}) },
      {
        ...{ amountCents, currency: 'USD', reference, successUrl, cancelUrl },
        ...{ description: link.description, lineItems: link.lineItems },
        ...{ paymentMethod: null, checkoutMode: 'hosted', embeddingOrigin: null, locale: 'auto' },
        environment: null,
        customer: { email: null, name: null, documentNumber: null, phone: null },
        metadata: {},
      },
      paymentId,
    );
    return result;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'validation_failed') return null;
    throw error;
  }
}
