import type { Principal } from '../../db/merchants/api-keys.ts';
import { findCheckout, loadCheckout } from '../../db/payments/checkouts.ts';
import type { Queryable } from '../../db/server/database.ts';
import { isIntended } from '../../db/payments/reservations.ts';
import { latestAttempt } from '../../db/payments/sandbox.ts';
import { attemptKey } from '../../domain/attempt-key.ts';
import type { CheckoutCommand } from '../../domain/checkout.ts';
import type { PaymentRecord, PaymentView } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import { type SandboxOrder, type SimulatedOutcome, simulatedOutcome } from '../../domain/sandbox.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import type { ApiDeps } from '../deps.ts';
import { SandboxChallengeBody, SandboxClockBody, SandboxOutcomeBody } from './bodies.ts';
import { makeAttempt, refuseByRow } from '../../operations/payments/make-attempt.ts';
import { readPayment } from '../../operations/payments/payment-reads.ts';
import { follow, sandboxPayment, sandboxRoute } from './sandbox-route.ts';

const isInFlight = (attempt: { status: string } | null): boolean =>
  attempt?.status === 'processing' || attempt?.status === 'requiresAction';

/** Refuses what nothing can change any more with the 410 of the closed checkout. */
async function refuseFinal(
  deps: ApiDeps,
  transaction: Queryable,
  principal: Principal,
  id: string,
  command: CheckoutCommand,
): Promise<void> {
  const checkout = await findCheckout(transaction, principal, id);
  if (checkout && checkout.finalizedAt !== null) refuseByRow(checkout, command, deps.now());
}

async function order(deps: ApiDeps, operationId: string, ordered: SandboxOrder): Promise<void> {
  const { status } = await deps.sandbox.run(operationId, ordered);
  if (status === 'refused') throw new Refusal('sandbox_not_applicable');
}

/** The payment once it `isThere`, as its merchant reads it. */
async function followPayment(
  deps: ApiDeps,
  principal: Principal,
  id: string,
  isThere: (payment: PaymentRecord) => boolean,
): Promise<PaymentView> {
  const payment = await follow(() => sandboxPayment(deps.database, principal, id), isThere, deps.now);
  return readPayment(deps.keyring, payment);
}

/**
 * POST /v1/sandbox/payments/{id}/outcome: 200 `{data: Payment}`. Decides the attempt that is under way; where
 * there is none, makes one in the customer's place. Refuses: not_found; checkout_expired, attempts_exhausted
 * (410) once nothing can happen any more; validation_failed for a method the payment does not offer;
 * sandbox_not_applicable.
 */
export const outcome = (deps: ApiDeps) =>
  sandboxRoute(deps, {
    operation: 'payment_outcome',
    schema: SandboxOutcomeBody,
    check: async (transaction, { principal, id, body }) => {
      const payment = await sandboxPayment(transaction, principal, id);
      await refuseFinal(deps, transaction, principal, id, { type: 'pay', method: 'card' });
      if (body.method !== undefined && !payment.offeredMethods.includes(body.method)) {
        throw new Refusal('validation_failed', {
          field: 'method',
          message: 'method must be one the payment offers',
        });
      }
    },
    work: async ({ principal, id, body }, operationId) => {
      const payment = await sandboxPayment(deps.database, principal, id);
      const ordered = simulatedOutcome(body);
      const attempt = await latestAttempt(deps.database, id);
      if (attempt && isInFlight(attempt)) {
        await order(deps, operationId, {
          merchantId: principal.merchantId,
          type: 'chargeOutcome',
          key: attemptKey(id, attempt.attemptNo),
          ...ordered,
        });
      } else {
        const method = body.method ?? payment.fixedMethod ?? payment.offeredMethods[0] ?? 'card';
        await attemptForCustomer(deps, payment, operationId, method, ordered);
      }
      const settles = ordered.afterSeconds === 0 && ordered.outcome !== 'pending';
      const wanted = { captured: 'paid', failed: 'failed', requires_action: 'requiresAction' } as const;
      return followPayment(deps, principal, id, (now) => {
        if (!settles) return true;
        return ordered.outcome === 'declined'
          ? now.checkoutStatus !== 'processing' && now.checkoutStatus !== 'requiresAction'
          : now.status === (wanted as Record<string, string>)[ordered.outcome];
      });
    },
  });

/**
 * One attempt without a card, whose outcome is ordered before it is charged. The operation's id makes it one.
 */
async function attemptForCustomer(
  deps: ApiDeps,
  payment: PaymentRecord,
  operationId: string,
  method: PaymentMethod,
  simulated: SimulatedOutcome,
): Promise<void> {
  if (await isIntended(deps.database, payment.id, operationId)) return;
  const checkout = await loadCheckout(deps.database, payment.id);
  if (!checkout) throw new Refusal('not_found');
  try {
    await makeAttempt(deps, checkout, { method, card: null, simulated, requestId: operationId });
  } catch (error) {
    // "Not known yet" is what was ordered when the attempt stays pending; otherwise it is trouble.
    const pending = simulated.outcome === 'pending' || simulated.afterSeconds > 0;
    const unknown = error instanceof Refusal && error.code === 'service_unavailable';
    if (!pending || !unknown || !isInFlight(await latestAttempt(deps.database, payment.id))) throw error;
  }
}

/**
 * POST /v1/sandbox/payments/{id}/challenge: 200 `{data: Payment}`. Does the customer's part of an open
 * challenge; the service then confirms by itself, unless the merchant does. Refuses: not_found,
 * sandbox_not_applicable.
 */
export const challenge = (deps: ApiDeps) =>
  sandboxRoute(deps, {
    operation: 'payment_challenge',
    schema: SandboxChallengeBody,
    check: async (transaction, { principal, id }) => {
      await sandboxPayment(transaction, principal, id);
      const attempt = await latestAttempt(transaction, id);
      if (attempt?.status !== 'requiresAction') throw new Refusal('sandbox_not_applicable');
    },
    work: async ({ principal, id, body }, operationId) => {
      const attempt = await latestAttempt(deps.database, id);
      await order(deps, operationId, {
        merchantId: principal.merchantId,
        type: 'challenge',
        key: attemptKey(id, attempt?.attemptNo ?? 1),
        result: body.result,
      });
      const confirmsItself = body.result !== 'abandoned' && !principal.customActions;
      return followPayment(deps, principal, id, (now) => !confirmsItself || now.status !== 'requiresAction');
    },
  });

/**
 * POST /v1/sandbox/payments/{id}/advance-clock: 200 `{data: Payment}` with the nearer `expiresAt`. The
 * payment's own workflow moves its deadlines, and the network is told, so that a late success follows.
 * Refuses: not_found; checkout_expired, attempts_exhausted (410) for a closed checkout.
 */
export const advanceClock = (deps: ApiDeps) =>
  sandboxRoute(deps, {
    operation: 'payment_clock',
    schema: SandboxClockBody,
    check: async (transaction, { principal, id }) => {
      await sandboxPayment(transaction, principal, id);
      await refuseFinal(deps, transaction, principal, id, moveDeadlines);
    },
    work: async ({ principal, id, body }, operationId) => {
      const payment = await sandboxPayment(deps.database, principal, id);
      const { expiresAtMs } = await advance(deps, principal, payment, operationId, body.bySeconds);
      await order(deps, operationId, {
        merchantId: principal.merchantId,
        type: 'clock',
        paymentId: id,
        checkoutExpiresAt: new Date(expiresAtMs).toISOString(),
      });
      return followPayment(
        deps,
        principal,
        id,
        ({ checkoutStatus }) =>
          expiresAtMs > deps.now() || checkoutStatus === 'expired' || checkoutStatus === 'paid',
      );
    },
  });

const moveDeadlines = { type: 'moveDeadlines', expiresAtMs: 0, captureEndsAtMs: 0 } as const;

/** Moves the clock; where the call failed because the checkout ended meanwhile, that is what is answered. */
async function advance(
  deps: ApiDeps,
  principal: Principal,
  payment: PaymentRecord,
  operationId: string,
  bySeconds: number,
): Promise<{ expiresAtMs: number }> {
  try {
    return await deps.workflows.advanceClock(payment, operationId, bySeconds);
  } catch (error) {
    await refuseFinal(deps, deps.database, principal, payment.id, moveDeadlines);
    throw error;
  }
}
