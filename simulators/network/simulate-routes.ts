import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { faultOrder } from '../faults.ts';
import { parseBody, Refusal, requireBearer } from '../server.ts';
import type { Ledger } from './ledger.ts';
import { idempotencyKey, type KeyRoute } from './charge-routes.ts';
import { findDispute, openDispute, type DisputeRoute } from './dispute-routes.ts';
import { type NetworkContext, networkFaultModes } from './context.ts';
import { once } from './idempotency.ts';
import { defaultFailureCode, LATE_SUCCESS_MS } from './charge-rules.ts';
import { isOrderFor, orderedBy, requireOwn } from './orders.ts';
import {
  chargeOutcomes,
  disputeStages,
  misreportSchema,
  type Charge,
  type Dispute,
  type Prepared,
} from './records.ts';
import { findRefund } from './refund-routes.ts';
import { answerChallenge } from './finish-charge.ts';
import { chargeView, disputeView, refundView } from './views.ts';

const optionalFailureCode = z
  .string()
  .regex(/^[a-z0-9_]{1,128}$/)
  .nullish();
const paymentId = z.string().min(1).max(128);

const chargeOrder = z.object({
  ...orderedBy,
  outcome: z.enum(chargeOutcomes),
  failureCode: optionalFailureCode,
  afterSeconds: z.number().min(0).max(86_400).optional(),
});
const misreportOrder = misreportSchema.extend(orderedBy);
const challengeOrder = z.object({
  ...orderedBy,
  result: z.enum(['authenticated', 'failed', 'abandoned']),
});
const clockOrder = z.object({
  ...orderedBy,
  paymentId,
  checkoutExpiresAt: z.iso.datetime({ offset: true }),
});
const refundOrder = z.object({
  ...orderedBy,
  outcome: z.enum(['succeeded', 'failed']),
  failureCode: optionalFailureCode,
});
const disputeOrder = z.object({
  ...orderedBy,
  paymentId,
  reason: z.string().min(1).max(128),
  stage: z.enum(disputeStages).optional(),
  amountCents: z.int().min(1).optional(),
  dueInSeconds: z
    .number()
    .min(0)
    .max(90 * 86_400)
    .optional(),
});
const resolveOrder = z.object({ ...orderedBy, outcome: z.enum(['won', 'lost', 'withdrawn', 'escalated']) });
const changeOrder = z.strictObject({
  ...orderedBy,
  stage: z.enum(disputeStages).optional(),
  status: z.string().min(1).max(64).optional(),
  amountCents: z.int().min(1).optional(),
  dueInSeconds: z
    .number()
    .min(0)
    .max(90 * 86_400)
    .optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
});
const networkFaultOrder = faultOrder(networkFaultModes);

const EVIDENCE_DUE_SECONDS = 7 * 86_400;

/**
 * Registers the orders of a sandbox: outcomes, disputes, faults. Behind the service key; the service decides
 * who may place orders.
 */
export function simulateRoutes(network: NetworkContext): FastifyPluginAsync {
  const { ledger, stats, faults, now } = network;
  const view = (charge: Charge) => chargeView(charge, network.publicUrl());

  return async (app) => {
    app.addHook('onRequest', requireBearer(network.serviceKey));
    app.addHook('preHandler', async () => stats.count('simulate'));

    app.post<KeyRoute>('/v1/simulate/charges/:key', async (request, reply) => {
      const { key } = request.params;
      const { failureCode = null, afterSeconds = 0, ...order } = parseBody(chargeOrder, request.body);
      const prepared = { ...order, failureCode, afterSeconds };
      const charge = ledger.charge(key);
      requireOwn(order, charge);
      if (charge) return view(simulateOutcome(ledger, charge, prepared, now()));
      network.prepared.put(key, prepared);
      return reply.code(202).send({ key, prepared: true });
    });

    app.post<KeyRoute>('/v1/simulate/charges/:key/misreport', async (request) =>
      view(misreportCharge(ledger, request.params.key, parseBody(misreportOrder, request.body))),
    );

    app.post<KeyRoute>('/v1/simulate/challenges/:key', async (request) => {
      const { result, ...order } = parseBody(challengeOrder, request.body);
      const charge = ledger.charge(request.params.key);
      if (!charge) throw new Refusal(404, 'charge_not_found', 'Nothing is known under this key.');
      requireOwn(order, charge);
      if (charge.status !== 'requires_action' || charge.step?.kind !== 'threeDS') {
        throw new Refusal(409, 'no_challenge', 'This charge waits for no challenge.');
      }
      return view(result === 'abandoned' ? charge : answerChallenge(ledger, charge, result));
    });

    app.post('/v1/simulate/clock', async (request) => {
      const order = parseBody(clockOrder, request.body);
      const checkoutExpiresAt = Date.parse(order.checkoutExpiresAt);
      const open = ledger
        .chargesOf(order.paymentId)
        .filter((charge) => charge.status === 'pending' || charge.status === 'requires_action')
        .filter((charge) => isOrderFor(order, charge));
      return { charges: open.map((charge) => view(moveDeadline(ledger, charge, checkoutExpiresAt))) };
    });

    app.post<KeyRoute>('/v1/simulate/refunds/:key', async (request) => {
      const { outcome, failureCode: code, ...order } = parseBody(refundOrder, request.body);
      const refund = findRefund(ledger, request.params.key);
      requireOwn(order, ledger.charge(refund.chargeKey));
      if (refund.bodyHash === null) throw new Refusal(409, 'refund_final', 'This refund was voided.');
      if (refund.status === outcome) return refundView(refund);
      if (refund.status === 'failed')
        throw new Refusal(409, 'refund_final', 'This refund has failed permanently.');
      const change = {
        status: outcome,
        failureCode: outcome === 'failed' ? (code ?? 'refund_rejected') : null,
        due: null,
      };
      const changed = ledger.saveRefund({ ...refund, ...change });
      ledger.notifyRefund(changed);
      return refundView(changed);
    });

    app.post('/v1/simulate/disputes', async (request) => {
      const order = parseBody(disputeOrder, request.body);
      return disputeView(
        once(network, `dispute ${idempotencyKey(request)}`, order, () => simulateDispute(ledger, order)),
      );
    });

    app.post<DisputeRoute>('/v1/simulate/disputes/:id/resolve', async (request) => {
      const { outcome, ...order } = parseBody(resolveOrder, request.body);
      const { id } = request.params;
      const resolve = (): Dispute => {
        requireOwn(order, ledger.charge(openDispute(ledger, id).chargeKey));
        const dispute = openDispute(ledger, id);
        if (outcome === 'escalated') return escalateDispute(ledger, dispute, order, now());
        return decideDispute(ledger, dispute, outcome);
      };
      return disputeView(once(network, `resolve ${id} ${idempotencyKey(request)}`, { outcome }, resolve));
    });

    app.post<DisputeRoute>('/v1/simulate/disputes/:id/change', async (request) => {
      const order = parseBody(changeOrder, request.body);
      const { id } = request.params;
      const change = (): Dispute => changeDispute(ledger, id, order, now());
      return disputeView(once(network, `change ${id} ${idempotencyKey(request)}`, order, change));
    });

    app.post('/v1/faults', async (request) => {
      faults.add(parseBody(networkFaultOrder, request.body));
      return { faults: faults.list() };
    });
    app.get('/v1/faults', async () => ({ faults: faults.list() }));
    app.delete('/v1/faults', async (_request, reply) => {
      faults.clear();
      return reply.code(204).send();
    });
  };
}

/**
 * Gives a charge another outcome, now or later. A captured charge and a voided key stay as they are (409
 * `charge_final`).
 */
function simulateOutcome(ledger: Ledger, charge: Charge, order: Prepared, now: number): Charge {
  if (charge.status === 'captured' || charge.status === 'voided') {
    throw new Refusal(409, 'charge_final', 'This charge can no longer change.');
  }
  const failureCode = order.failureCode ?? defaultFailureCode(charge.method, order.outcome);
  if (order.afterSeconds > 0) {
    return ledger.saveCharge({
      ...charge,
      due: { at: now + order.afterSeconds * 1000, status: order.outcome, failureCode },
    });
  }
  const changed = ledger.saveCharge(ledger.outcome(charge, order.outcome, failureCode));
  ledger.notifyCharge(changed);
  return changed;
}

/** Answers reads of a charge with false values; an empty order ends that. Each order sends a callback. */
function misreportCharge(
  ledger: Ledger,
  key: string,
  { merchantId, ...misreport }: z.infer<typeof misreportOrder>,
): Charge {
  const charge = ledger.charge(key);
  if (!charge) throw new Refusal(404, 'charge_not_found', 'Nothing is known under this key.');
  requireOwn({ merchantId }, charge);
  const isFalse = Object.keys(misreport).length > 0;
  const changed = ledger.saveCharge({ ...charge, misreport: isFalse ? misreport : null });
  ledger.notifyCharge(changed);
  return changed;
}

/** Moves the checkout's deadline, and the changes that are due with it. */
function moveDeadline(ledger: Ledger, charge: Charge, checkoutExpiresAt: number): Charge {
  const { step, due } = charge;
  const oldDeadline = charge.checkoutExpiresAt;
  if (step?.kind === 'wallet' || step?.kind === 'pix') {
    const expiresAt = step.kind === 'pix' ? checkoutExpiresAt : Math.min(step.expiresAt, checkoutExpiresAt);
    const moved = due && due.at === step.expiresAt ? { ...due, at: expiresAt } : due;
    return ledger.saveCharge({ ...charge, checkoutExpiresAt, step: { ...step, expiresAt }, due: moved });
  }
  const late = due && due.at === oldDeadline + LATE_SUCCESS_MS;
  const moved = late ? { ...due, at: checkoutExpiresAt + LATE_SUCCESS_MS } : due;
  return ledger.saveCharge({ ...charge, checkoutExpiresAt, due: moved });
}

/**
 * Changes a dispute, also a closed one, as a network may do. A later stage requests evidence again unless the
 * order has a status. Nothing is checked, to test how a reader handles unknown values.
 */
function changeDispute(ledger: Ledger, id: string, order: z.infer<typeof changeOrder>, now: number): Dispute {
  const dispute = findDispute(ledger, id);
  requireOwn(order, ledger.charge(dispute.chargeKey));
  const { stage = dispute.stage, amountCents = dispute.amountCents, currency = dispute.currency } = order;
  const escalates = disputeStages.indexOf(stage) > disputeStages.indexOf(dispute.stage);
  const changed = ledger.saveDispute({
    ...dispute,
    stage,
    status: order.status ?? (escalates ? 'needsResponse' : dispute.status),
    amountCents,
    currency,
    evidenceDueAt: order.dueInSeconds === undefined ? dispute.evidenceDueAt : now + order.dueInSeconds * 1000,
    due: null,
  });
  ledger.notifyDispute(changed);
  return changed;
}

/** Closes an open dispute. */
function decideDispute(ledger: Ledger, dispute: Dispute, status: 'won' | 'lost' | 'withdrawn'): Dispute {
  const decided = ledger.saveDispute({ ...dispute, status, due: null });
  ledger.notifyDispute(decided);
  return decided;
}

/** Moves an open dispute to its next stage. Refuses 409 `dispute_final` for the last one. */
function escalateDispute(
  ledger: Ledger,
  dispute: Dispute,
  order: Pick<z.infer<typeof changeOrder>, 'merchantId'>,
  now: number,
): Dispute {
  const stage = disputeStages[disputeStages.indexOf(dispute.stage) + 1];
  if (stage === undefined) throw new Refusal(409, 'dispute_final', 'This dispute is in its last stage.');
  const later = { ...order, stage, dueInSeconds: EVIDENCE_DUE_SECONDS };
  return changeDispute(ledger, dispute.disputeId, later, now);
}

/** Opens a dispute over the latest captured charge of a payment. Refuses 409 `payment_not_captured`. */
function simulateDispute(ledger: Ledger, order: z.infer<typeof disputeOrder>): Dispute {
  const charge = ledger.chargesOf(order.paymentId).findLast(({ status }) => status === 'captured');
  requireOwn(order, charge);
  if (!charge) throw new Refusal(409, 'payment_not_captured', 'This payment has no captured charge.');
  const amountCents = order.amountCents ?? charge.amountCents;
  if (amountCents > charge.amountCents) {
    throw new Refusal(400, 'invalid_request', 'A dispute cannot exceed the charge.', 'amountCents');
  }
  return ledger.openDispute(charge, {
    reason: order.reason,
    stage: order.stage ?? 'chargeback',
    amountCents,
    dueInMs: (order.dueInSeconds ?? EVIDENCE_DUE_SECONDS) * 1000,
  });
}
