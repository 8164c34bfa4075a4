import type { Logger } from 'pino';
import { loadReportedAttempt } from '../db/payments/capture-hints.ts';
import { schedulePaymentCheckSoon } from '../db/payments/payment-checks.ts';
import { alertChargeProblem } from '../db/payments/charge-alerts.ts';
import { recordUnexpectedCapture } from '../db/payments/unexpected-captures.ts';
import type { Database } from '../db/server/database.ts';
import { attemptKey } from '../domain/payment.ts';
import type { Connectors } from '../providers/connectors.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';
import type { Attempt } from './attempt-report.ts';
import { requirePayment } from './require-payment.ts';
import { createLostAttempts } from './restore-attempts.ts';

/** The highest number of an attempt that is restored, because each one before it is queried too. */
const maxRestored = 20;

export interface CaptureChecks {
  /**
   * Reads the charge of an attempt, and records a capture that the rows do not have. It may be repeated.
   * `providerReference`: the object that the network reported, which the rows may not have. Returns `early`
   * when money was taken and the attempt's workflow has not noticed it yet: check again.
   */
  checkCapture(reported: Attempt & { providerReference: string | null }): Promise<'done' | 'early'>;
}

/** Returns the check that compares closed attempts with the network. */
export function createCaptureChecks(deps: {
  database: Database;
  connectors: Connectors;
  /** Starts the deliveries of committed events. */
  webhooks: Pick<WebhookDispatcher, 'dispatch'>;
  logger: Pick<Logger, 'error'>;
}): CaptureChecks {
  const { database, connectors, webhooks, logger } = deps;
  return {
    async checkCapture({ paymentId, attemptNo, providerReference: reported }) {
      const payment = await requirePayment(database, paymentId);
      const { network } = await connectors.portsOf(payment);
      const attempt = await loadReportedAttempt(database, { paymentId, attemptNo });
      if (attempt?.isPaid) return 'done';
      const providerReference = reported ?? attempt?.providerReference ?? null;
      if (network.prepare !== null && providerReference === null) return 'done';
      const { merchantId, environment, amountCents } = payment;
      const key = attemptKey(paymentId, attemptNo);
      const reference = { key, paymentId, merchantId, environment, amountCents, providerReference };
      const charge = await network.lookup(reference);
      if (charge?.status === 'unreadable') await alertChargeProblem(database, paymentId, 'unknown_state');
      if (charge?.status !== 'captured') return 'done';
      if (attempt?.expectsCapture) return 'early';
      if (attempt === null && payment.finalizedAt === null && attemptNo <= maxRestored) {
        // PostgreSQL lost the row of an attempt in progress: the payment's run resolves it.
        const known = { lastAttemptNo: attemptNo, method: null, seq: 0 };
        await createLostAttempts({ database, connectors }).restore(paymentId, known);
        await schedulePaymentCheckSoon(database, paymentId);
        return 'done';
      }
      const { chargeId, currency, capturedAtMs } = charge;
      const found = await recordUnexpectedCapture(database, paymentId, {
        attemptNo,
        amountCents: charge.amountCents,
        currency,
        providerReference: chargeId,
        capturedAt: capturedAtMs === null ? null : new Date(capturedAtMs),
      });
      if (!found) return 'done';
      if (found.isAhead) await alertChargeProblem(database, paymentId, 'future_instant');
      logger.error({ paymentId, attemptNo }, 'needs attention: money was captured that no paid attempt has');
      if (found.eventId !== null) webhooks.dispatch(found.eventId);
      return 'done';
    },
  };
}
