import { findLink, insertLink } from '../../db/payment-links/payment-links.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import { randomBase62 } from '../../crypto/secrets.ts';
import type { Actor } from '../../domain/audit.ts';
import { type PaymentLink, slugLength } from '../../domain/payment-link.ts';
import { Refusal } from '../../domain/refusals.ts';
import { type IdempotencyDeps, bodyHash, runIdempotent } from '../idempotency.ts';

/** A link to create. */
export type CreateLinkCommand = Pick<
  PaymentLink,
  | 'amountCents'
  | 'reference'
  | 'description'
  | 'lineItems'
  | 'methods'
  | 'successUrl'
  | 'cancelUrl'
  | 'maxPayments'
  | 'expiresAt'
>;

/**
 * Creates a payment link, once per key. With `replayed`, an earlier request created it, and it is returned as
 * it is now. Refuses: validation_failed for an `expiresAt` that has passed, idempotency_key_reused,
 * idempotency_in_progress.
 */
export async function createLink(
  deps: IdempotencyDeps,
  tenant: Tenant,
  { key, body, command }: { key: string; body: unknown; command: CreateLinkCommand },
  actor: Actor,
): Promise<{ link: PaymentLink; replayed: boolean }> {
  const { merchantId, environment } = tenant;
  const claim = { merchantId, environment, operation: 'create_payment_link', key, bodyHash: bodyHash(body) };
  const own = async (id: string): Promise<PaymentLink> => {
    const link = await findLink(deps.database, tenant, id);
    if (!link) throw new Refusal('service_unavailable');
    return link;
  };
  const { result, replayed } = await runIdempotent<null, PaymentLink>(deps, claim, {
    create: async (transaction, id, now) => {
      if (command.expiresAt !== null && command.expiresAt <= now) {
        throw new Refusal('validation_failed', {
          field: 'expiresAt',
          message: 'expiresAt must be in the future',
        });
      }
      const link = {
        ...{ id, merchantId, environment, slug: randomBase62(slugLength), createdAt: now },
        ...command,
      };
      await insertLink(transaction, link, { actor, at: now });
      return null;
    },
    work: own,
    load: own,
  });
  return { link: result, replayed };
}
