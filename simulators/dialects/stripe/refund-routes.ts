import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { type Call, Calls } from './calls.ts';
import { readChargeObjects } from './charge-object-routes.ts';
import type { StripeContext } from './context.ts';
import { badParameter, noSuch, ruleError } from './errors.ts';
import { newObject } from './ids.ts';
import type { Ledger } from './ledger.ts';
import { expand, metadata, wholeNumber } from './parameters.ts';
import { paymentIdOf } from './payment-reference.ts';
import type { Charge, Refund } from './records.ts';

const REFUND_CHANGES_AFTER_MS = 3_000;

const createParameters = z.strictObject({
  charge: z.string().max(66).optional(),
  payment_intent: z.string().max(66).optional(),
  amount: wholeNumber.optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  metadata,
  expand,
});

/** Registers refunds of a charge or of an intent: create, read, list. Card refunds cannot be canceled. */
export function refundRoutes(stripe: StripeContext): FastifyPluginAsync {
  const { ledger } = stripe;
  return async (app) => {
    const calls = new Calls(stripe, app);

    calls.post('/v1/refunds', {
      kind: 'refunds.create',
      schema: createParameters,
      paymentOf: ({ parameters }) => {
        const charge =
          ledger.findCharge(parameters.charge ?? '') ??
          ledger.chargesOf(parameters.payment_intent ?? '').at(-1);
        return charge ? paymentIdOf(charge) : null;
      },
      run: (call) => ({ object: ledger.showRefund(refund(stripe, call)) }),
    });

    readChargeObjects(calls, 'refunds', {
      find: (caller, id) => ledger.refund(caller, id),
      all: () => ledger.refunds(),
      show: (made) => ledger.showRefund(made),
    });

    calls.post('/v1/refunds/:id/cancel', {
      kind: 'refunds.cancel',
      schema: z.strictObject({ expand }),
      run: ({ caller, id }) => {
        const { status } = ledger.refund(caller, id);
        throw ruleError(400, {
          message:
            `You cannot cancel this refund because it has a status of ${status}. ` +
            'Only a refund with the status requires_action may be canceled.',
        });
      },
    });

    calls.get('/v1/charges/:id', {
      kind: 'charges.retrieve',
      schema: z.strictObject({ expand }),
      run: ({ caller, id }) => ({ object: ledger.showCharge(ledger.charge(caller, id)) }),
    });
  };
}

function refund(
  stripe: StripeContext,
  { caller, parameters, idempotencyKey, cause }: Call<z.infer<typeof createParameters>>,
): Refund {
  const { ledger } = stripe;
  const charge = chargeOf(ledger, caller, parameters);
  const amountCents = refundable(ledger, charge, parameters.amount);
  const now = stripe.now();
  const behaviour = ledger.findMethod(charge.paymentMethodId)?.behaviour;
  const at = now + REFUND_CHANGES_AFTER_MS;
  const pends = behaviour === 'paidRefundPending';
  const fails = behaviour === 'paidRefundFailsLater';
  return ledger.addRefund(
    {
      ...newObject('re', caller, now, parameters.metadata),
      chargeId: charge.id,
      intentId: charge.intentId,
      amountCents,
      status: pends ? 'pending' : 'succeeded',
      reason: parameters.reason ?? null,
      failureReason: null,
      due: pends
        ? { at, status: 'succeeded', failureReason: null }
        : fails
          ? { at, status: 'failed', failureReason: 'expired_or_canceled_card' }
          : null,
      key: idempotencyKey,
    },
    cause,
  );
}

function chargeOf(
  ledger: Ledger,
  caller: Call<unknown>['caller'],
  { charge, payment_intent: intentId }: z.infer<typeof createParameters>,
): Charge {
  if (charge !== undefined) return ledger.charge(caller, charge);
  if (intentId === undefined) {
    throw badParameter('charge', 'One of the following params should be provided: payment_intent or charge.');
  }
  const intent = ledger.intent(caller, intentId);
  const paid = ledger.chargesOf(intent.id).find(({ status }) => status === 'succeeded');
  if (paid) return paid;
  throw ruleError(400, {
    message: `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
    param: 'payment_intent',
  });
}

/** Returns the amount to refund. Throws 400 when it exceeds the remaining amount, or a dispute holds it. */
function refundable(ledger: Ledger, charge: Charge, asked: number | undefined): number {
  if (charge.status !== 'succeeded') throw noSuch('charge', charge.id, 'charge');
  if (charge.disputeId !== null) {
    throw ruleError(400, {
      code: 'charge_disputed',
      message: `Charge ${charge.id} has been charged back; cannot issue a refund.`,
    });
  }
  const left = charge.amountCents - ledger.refundedCents(charge.id);
  if (left <= 0) {
    throw ruleError(400, {
      code: 'charge_already_refunded',
      message: `Charge ${charge.id} has already been refunded.`,
    });
  }
  const amount = asked ?? left;
  if (amount < 1) throw badParameter('amount', 'Invalid positive integer', 'parameter_invalid_integer');
  if (amount <= left) return amount;
  throw ruleError(400, {
    message: `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(left)})`,
    param: 'amount',
  });
}

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;
