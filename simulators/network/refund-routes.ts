import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { randomBase62, sha256Hex, stableJson } from '../secrets.ts';
import { parseBody, Refusal, requireBearer } from '../server.ts';
import type { Ledger } from './ledger.ts';
import { idempotencyKey, type KeyRoute } from './charge-routes.ts';
import type { NetworkContext } from './context.ts';
import type { Refund } from './records.ts';
import { refundView } from './views.ts';

const refundBody = z.object({
  paymentId: z.string().min(1).max(128),
  chargeKey: z.string().min(1).max(255),
  amountCents: z.int().min(1).max(100_000_000),
});
type RefundBody = z.infer<typeof refundBody>;

const voidBody = refundBody.extend({ chargeKey: refundBody.shape.chargeKey.optional() });

/** Time after which refunds of the two refund test cards change automatically. */
const REFUND_CHANGES_AFTER_MS = 3_000;

/** Registers refund, look up and void, behind the service key. */
export function refundRoutes(network: NetworkContext): FastifyPluginAsync {
  const { ledger, stats, now } = network;

  return async (app) => {
    app.addHook('onRequest', requireBearer(network.serviceKey));

    app.post('/v1/refunds', async (request) => {
      stats.count('refund');
      const key = idempotencyKey(request);
      return refundView(refundCharge(ledger, key, parseBody(refundBody, request.body), now()));
    });

    app.get<KeyRoute>('/v1/refunds/:key', async (request) => {
      stats.count('refundLookup');
      return refundView(findRefund(ledger, request.params.key));
    });

    app.post<KeyRoute>('/v1/refunds/:key/void', async (request) => {
      stats.count('refundVoid');
      const { key } = request.params;
      const body = parseBody(voidBody, request.body);
      return refundView(ledger.refund(key) ?? voidUnknownKey(ledger, key, body, now()));
    });
  };
}

/** Refuses 404 `refund_not_found`. */
export function findRefund(ledger: Ledger, key: string): Refund {
  const refund = ledger.refund(key);
  if (refund) return refund;
  throw new Refusal(404, 'refund_not_found', 'Nothing is known under this key.');
}

/**
 * Refunds once per key, never more than was captured. Refuses 409 `idempotency_key_reused`,
 * `charge_not_refundable`, `amount_exceeds_refundable`; 404 `charge_not_found`.
 */
function refundCharge(ledger: Ledger, key: string, body: RefundBody, now: number): Refund {
  const bodyHash = sha256Hex(stableJson(body));
  const known = ledger.refund(key);
  if (known) {
    // A voided key is answered with its tombstone, whatever the body.
    if (known.bodyHash === null || known.bodyHash === bodyHash) return known;
    throw new Refusal(409, 'idempotency_key_reused', 'This key was used with another body.');
  }
  const charge = ledger.charge(body.chargeKey);
  if (charge?.paymentId !== body.paymentId) {
    throw new Refusal(404, 'charge_not_found', 'Nothing is known under this charge key.');
  }
  if (charge.status !== 'captured')
    throw new Refusal(409, 'charge_not_refundable', 'Only a captured charge can be refunded.');
  const given = ledger
    .refundsOf(body.paymentId)
    .filter((refund) => refund.chargeKey === body.chargeKey && refund.status !== 'failed')
    .reduce((sum, refund) => sum + refund.amountCents, 0);
  if (body.amountCents > charge.amountCents - given) {
    throw new Refusal(409, 'amount_exceeds_refundable', 'Less than this is left to refund.', 'amountCents');
  }
  const later = now + REFUND_CHANGES_AFTER_MS;
  const pending = charge.behaviour === 'paidRefundPending';
  const due = pending ? { at: later, status: 'succeeded' as const, failureCode: null } : null;
  const rejection = { at: later, status: 'failed' as const, failureCode: 'refund_rejected' };
  return ledger.saveRefund({
    ...newRefund(key, body, now),
    status: pending ? 'pending' : 'succeeded',
    due: charge.behaviour === 'paidRefundFailsLater' ? rejection : due,
    bodyHash,
  });
}

/** Records that `key` must never refund anything. */
function voidUnknownKey(ledger: Ledger, key: string, of: z.infer<typeof voidBody>, now: number): Refund {
  const tombstone = newRefund(key, { ...of, chargeKey: of.chargeKey ?? '' }, now);
  return ledger.saveRefund({ ...tombstone, status: 'failed', failureCode: 'voided' });
}

function newRefund(key: string, of: RefundBody, createdAt: number): Refund {
  const { paymentId, chargeKey, amountCents } = of;
  return {
    refundId: `re_${randomBase62(24)}`,
    key,
    paymentId,
    chargeKey,
    amountCents,
    status: 'pending',
    failureCode: null,
    due: null,
    bodyHash: null,
    createdAt,
  };
}
