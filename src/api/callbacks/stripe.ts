import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Queryable } from '../../db/server/database.ts';
import { acceptedWebhookSecrets } from '../../connectors/credentials.ts';
import { openCredentials } from '../../connectors/resolve.ts';
import { findByProviderReference } from '../../db/payments/attempts.ts';
import { attemptNoOf } from '../../db/payments/capture-hints.ts';
import { loadPayment } from '../../db/payments/payments.ts';
import { loadConnector } from '../../db/merchants/connectors.ts';
import { Refusal } from '../../domain/refusals.ts';
import { type StripeHint, stripeHint } from '../../providers/stripe/webhook.ts';
import { bodyBytes } from '../../http/request.ts';
import { type HintDeps, notifyOfHint } from '../../operations/payments/notify-of-hint.ts';

const uuid = z.uuid();

/**
 * POST /callbacks/stripe/{connectorId}: an event of the Stripe account behind that connector, signed with its
 * secret and at most five minutes old. The event is not trusted: Stripe is queried again, and only about
 * payments that were made with this connector. Returns 204, also for ignored events. Returns 400 if the
 * signature, the connector or the body is wrong, without naming which.
 */
export const stripeCallback =
  (deps: HintDeps & { keyring: Keyring }) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { id } = request.params as { id: string };
    const hint = await verifiedHint(deps, request, id);
    if (hint === null) return reply.status(204).send();
    const { chargeReference: providerReference, succeeded } = hint;
    const paymentId =
      (await findByProviderReference(deps.database, id, providerReference)) ??
      (await namedPayment(deps, id, hint));
    if (paymentId !== null) {
      const attemptNo = attemptNoOf(paymentId, `${paymentId}:${hint.attempt?.attemptNo ?? ''}`);
      await notifyOfHint(deps, paymentId, {
        charge: hint.attempt === null ? null : { attemptNo, providerReference },
        succeeded,
        refunds: hint.refunds,
        // The metadata of an object at Stripe can name any refund, also one of another connector.
        // `notifyOfHint` checks that it is this payment's.
        refundId: uuid.safeParse(hint.refundKey).data ?? null,
        disputeId: hint.disputeId,
      });
    }
    return reply.status(204).send();
  };

/**
 * Returns the payment that a succeeded object names, for an object that no attempt has; null if the payment
 * is not of this connector. The object is read at Stripe before anything in it is trusted.
 */
async function namedPayment(
  { database }: { database: Queryable },
  connectorId: string,
  { attempt, succeeded }: StripeHint,
): Promise<string | null> {
  const named = succeeded ? uuid.safeParse(attempt?.paymentId).data : undefined;
  const payment = named === undefined ? null : await loadPayment(database, named);
  return payment?.connectorId === connectorId ? payment.id : null;
}

async function verifiedHint(
  { database, keyring, now }: { database: Queryable; keyring: Keyring; now: () => number },
  request: FastifyRequest,
  id: string,
) {
  const connector = uuid.safeParse(id).success ? await loadConnector(database, id) : null;
  const signature = request.headers['stripe-signature'];
  if (!connector || typeof signature !== 'string') throw new Refusal('invalid_request');
  const at = now();
  const { webhookOverlapUntil } = connector;
  const credentials = openCredentials(keyring, connector);
  const secrets = acceptedWebhookSecrets(credentials, webhookOverlapUntil, new Date(at));
  const hint = stripeHint(Buffer.from(bodyBytes(request) ?? []), signature, secrets, at);
  if (hint === 'unsigned') throw new Refusal('invalid_request');
  return hint;
}
