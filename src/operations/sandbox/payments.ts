import type { Principal } from '../../db/merchants/api-keys.ts';
import { findCheckout, loadCheckout } from '../../db/payments/checkouts.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { Queryable } from '../../db/server/database.ts';
import { hasAttemptFor } from '../../db/payments/reservations.ts';
import { latestAttempt } from '../../db/payments/sandbox.ts';
import type { CheckoutCommand } from '../../domain/checkout.ts';
import { type PaymentRecord, type PaymentView, attemptKey } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import { type SandboxOrder, type SimulatedOutcome, simulatedOutcome } from '../../domain/sandbox.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import type { PaymentWorkflows } from '../../temporal/clients/payments.ts';
import { type AttemptDeps, makeAttempt, refuseByRow } from '../payments/make-attempt.ts';
import { readPayment } from '../payments/payment-reads.ts';
import {
  type SandboxCall,
  type SandboxDeps,
  pollUntil,
  runSandboxOperation,
  sandboxPayment,
} from './operation.ts';

const isInFlight = (attempt: { status: string } | null): boolean =>
  attempt?.status === 'processing' || attempt?.status === 'requiresAction';

/** Throws the refusal (410) of a checkout that can no longer change. */
async function refuseFinal(
  { now }: { now: () => number },
  transaction: Queryable,
  tenant: Tenant,
  id: string,
  command: CheckoutCommand,
): Promise<void> {
  const checkout = await findCheckout(transaction, tenant, id);
  if (checkout && checkout.finalizedAt !== null) refuseByRow(checkout, command, now());
}

/** Sends an order to the simulators. Refuses sandbox_not_applicable when they refuse the order. */
async function runOrder(
  { sandbox }: Pick<SandboxDeps, 'sandbox'>,
  operationId: string,
  order: SandboxOrder,
): Promise<void> {
  const { status } = await sandbox.run(operationId, order);
  if (status === 'refused') throw new Refusal('sandbox_not_applicable');
}

/** Returns the payment as its merchant reads it, once `isDone` is true, after 5 s at the latest. */
async function pollPayment(
  deps: Pick<SandboxDeps, 'database' | 'keyring' | 'now'>,
  tenant: Tenant,
  id: string,
  isDone: (payment: PaymentRecord) => boolean,
): Promise<PaymentView> {
  const payment = await pollUntil(() => sandboxPayment(deps.database, tenant, id), isDone, deps.now);
  return readPayment(deps.keyring, payment);
}

/** The outcome of the attempt in progress. `afterSeconds`: how long it stays pending. */
export interface OutcomeCommand {
  outcome: 'paid' | 'failed' | 'requiresAction' | 'processing' | 'unexpectedCapture';
  method?: PaymentMethod | undefined;
  failureCode?: string | undefined;
  afterSeconds?: number | undefined;
}

/**
 * Decides the attempt in progress; without one, makes an attempt in the customer's place. Refuses: not_found;
 * checkout_expired, attempts_exhausted (410) for a checkout that can no longer change; validation_failed for
 * a method the payment does not offer; sandbox_not_applicable.
 */
export function decidePayment(
  deps: SandboxDeps & AttemptDeps,
  call: SandboxCall,
  command: OutcomeCommand,
): Promise<{ result: PaymentView; replayed: boolean }> {
  const { tenant, id } = call;
  return runSandboxOperation(deps, call, {
    operation: 'payment_outcome',
    check: async (transaction) => {
      const payment = await sandboxPayment(transaction, tenant, id);
      // A closed payment can be captured unexpectedly too.
      if (command.outcome === 'unexpectedCapture') return;
      await refuseFinal(deps, transaction, tenant, id, { type: 'pay', method: 'card' });
      if (command.method !== undefined && !payment.offeredMethods.includes(command.method)) {
        throw new Refusal('validation_failed', {
          field: 'method',
          message: 'method must be one the payment offers',
        });
      }
    },
    work: async (operationId) => {
      const payment = await sandboxPayment(deps.database, tenant, id);
      const attempt = await latestAttempt(deps.database, id);
      const { outcome, failureCode, afterSeconds } = command;
      if (outcome === 'unexpectedCapture') {
        await captureUnexpectedly(deps, operationId, payment, attempt);
        return readPayment(deps.keyring, payment);
      }
      const simulated = simulatedOutcome({ outcome, failureCode, afterSeconds });
      if (attempt && isInFlight(attempt)) {
        await runOrder(deps, operationId, {
          merchantId: tenant.merchantId,
          type: 'chargeOutcome',
          key: attemptKey(id, attempt.attemptNo),
          ...simulated,
        });
      } else {
        const method = command.method ?? payment.fixedMethod ?? payment.offeredMethods[0] ?? 'card';
        await attemptForCustomer(deps, payment, operationId, method, simulated);
      }
      const decides = simulated.afterSeconds === 0 && simulated.outcome !== 'pending';
      const wanted = { captured: 'paid', failed: 'failed', requires_action: 'requiresAction' } as const;
      return pollPayment(deps, tenant, id, (now) => {
        if (!decides) return true;
        return simulated.outcome === 'declined'
          ? now.checkoutStatus !== 'processing' && now.checkoutStatus !== 'requiresAction'
          : now.status === (wanted as Record<string, string>)[simulated.outcome];
      });
    },
  });
}

/**
 * Orders the capture of an attempt that failed. Refuses: sandbox_not_applicable for any other attempt,
 * because its money would not be unexpected.
 */
async function captureUnexpectedly(
  deps: Pick<SandboxDeps, 'sandbox'>,
  operationId: string,
  { id, merchantId }: PaymentRecord,
  attempt: { attemptNo: number; status: string } | null,
): Promise<void> {
  if (!attempt || attempt.status === 'paid' || isInFlight(attempt)) {
    throw new Refusal('sandbox_not_applicable');
  }
  const captured = { outcome: 'captured', failureCode: null, afterSeconds: 0 } as const;
  const key = attemptKey(id, attempt.attemptNo);
  await runOrder(deps, operationId, { merchantId, type: 'chargeOutcome', key, ...captured });
}

/**
 * Makes one attempt without a card, whose outcome is set before it is charged. The operation's id prevents a
 * second one.
 */
async function attemptForCustomer(
  deps: AttemptDeps,
  payment: PaymentRecord,
  operationId: string,
  method: PaymentMethod,
  simulated: SimulatedOutcome,
): Promise<void> {
  if (await hasAttemptFor(deps.database, payment.id, operationId)) return;
  const checkout = await loadCheckout(deps.database, payment.id);
  if (!checkout) throw new Refusal('not_found');
  try {
    await makeAttempt(deps, checkout, { method, card: null, simulated, requestId: operationId, by: null });
  } catch (error) {
    // An unknown outcome is expected when the attempt was ordered to stay pending; otherwise it is a fault.
    const pending = simulated.outcome === 'pending' || simulated.afterSeconds > 0;
    const isUnknown = error instanceof Refusal && error.code === 'service_unavailable';
    if (!pending || !isUnknown || !isInFlight(await latestAttempt(deps.database, payment.id))) throw error;
  }
}

/** The customer's answer to the challenge. */
export interface ChallengeCommand {
  result: 'authenticated' | 'failed' | 'abandoned';
}

/**
 * Answers an open challenge in the customer's place; the service then confirms the attempt, unless the
 * merchant does. Refuses: not_found, sandbox_not_applicable.
 */
export function answerChallenge(
  deps: SandboxDeps,
  call: SandboxCall & { tenant: Pick<Principal, 'customActions'> },
  command: ChallengeCommand,
): Promise<{ result: PaymentView; replayed: boolean }> {
  const { tenant, id } = call;
  return runSandboxOperation(deps, call, {
    operation: 'payment_challenge',
    check: async (transaction) => {
      await sandboxPayment(transaction, tenant, id);
      const attempt = await latestAttempt(transaction, id);
      if (attempt?.status !== 'requiresAction') throw new Refusal('sandbox_not_applicable');
    },
    work: async (operationId) => {
      const attempt = await latestAttempt(deps.database, id);
      await runOrder(deps, operationId, {
        merchantId: tenant.merchantId,
        type: 'challenge',
        key: attemptKey(id, attempt?.attemptNo ?? 1),
        result: command.result,
      });
      const serviceConfirms = command.result !== 'abandoned' && !tenant.customActions;
      return pollPayment(deps, tenant, id, (now) => !serviceConfirms || now.status !== 'requiresAction');
    },
  });
}

/** The seconds by which the deadlines are moved nearer. */
export interface ClockCommand {
  bySeconds: number;
}

interface ClockDeps {
  workflows: Pick<PaymentWorkflows, 'advanceClock'>;
}

/**
 * Moves the deadlines of a payment nearer. Its own workflow moves them, and the network is notified, so that
 * a late success follows. Refuses: not_found; checkout_expired, attempts_exhausted (410) for a closed
 * checkout.
 */
export function advanceClock(
  deps: SandboxDeps & ClockDeps,
  call: SandboxCall,
  { bySeconds }: ClockCommand,
): Promise<{ result: PaymentView; replayed: boolean }> {
  const { tenant, id } = call;
  return runSandboxOperation(deps, call, {
    operation: 'payment_clock',
    check: async (transaction) => {
      await sandboxPayment(transaction, tenant, id);
      await refuseFinal(deps, transaction, tenant, id, moveDeadlines);
    },
    work: async (operationId) => {
      const payment = await sandboxPayment(deps.database, tenant, id);
      const { expiresAtMs } = await advance(deps, tenant, payment, operationId, bySeconds);
      const hasTakenEffect = ({ checkoutStatus }: PaymentRecord): boolean =>
        expiresAtMs > deps.now() || checkoutStatus === 'expired' || checkoutStatus === 'paid';
      // The network is notified only after the checkout has closed. A success before that would not be late.
      await pollPayment(deps, tenant, id, hasTakenEffect);
      await runOrder(deps, operationId, {
        merchantId: tenant.merchantId,
        type: 'clock',
        paymentId: id,
        checkoutExpiresAt: new Date(expiresAtMs).toISOString(),
      });
      return pollPayment(deps, tenant, id, hasTakenEffect);
    },
  });
}

/** The command by which the row decides whether the deadlines may still move; their values do not matter. */
const moveDeadlines = { type: 'moveDeadlines', expiresAtMs: 0, captureEndsAtMs: 0 } as const;

/** Moves the deadlines. Throws the refusal of a closed checkout if it was closed meanwhile. */
async function advance(
  deps: Pick<SandboxDeps, 'database' | 'now'> & ClockDeps,
  tenant: Tenant,
  payment: PaymentRecord,
  operationId: string,
  bySeconds: number,
): Promise<{ expiresAtMs: number }> {
  try {
    return await deps.workflows.advanceClock(payment, operationId, bySeconds);
  } catch (error) {
    await refuseFinal(deps, deps.database, tenant, payment.id, moveDeadlines);
    throw error;
  }
}
