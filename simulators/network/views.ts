import type { Charge, Dispute, Refund } from './records.ts';

/** Why a charge was declined, in words for the customer. */
const MESSAGES: Readonly<Record<string, string>> = {
  card_declined: 'The card was declined.',
  insufficient_funds: 'The card has insufficient funds.',
  lost_card: 'The card was reported lost.',
  stolen_card: 'The card was reported stolen.',
  expired_card: 'The card has expired.',
  incorrect_cvc: 'The security code is wrong.',
  card_not_supported: 'The card does not support this purchase.',
  fraud_suspected: 'The payment was declined for security reasons.',
  processing_error: 'The card could not be processed. Try again.',
  authentication_failed: 'The card holder could not be authenticated.',
  wallet_declined: 'The wallet payment was declined.',
  pix_rejected: 'The pix payment was rejected.',
};

/** A charge as the service reads it. `publicUrl`: where customers reach the network's pages. */
export function chargeView(charge: Charge, publicUrl: string) {
  const { failureCode } = charge;
  const failed = charge.status === 'declined' || charge.status === 'failed';
  return {
    chargeId: charge.chargeId,
    key: charge.key,
    paymentId: charge.paymentId,
    attemptId: charge.attemptId,
    amountCents: charge.amountCents,
    currency: charge.currency,
    environment: charge.environment,
    method: charge.method,
    status: charge.status,
    ...(failed ? { retryable: charge.status === 'declined' } : {}),
    failureCode,
    message: failureCode === null ? null : (MESSAGES[failureCode] ?? 'The payment was declined.'),
    card: charge.card,
    action: actionView(charge, publicUrl),
    stepDone: stepDone(charge),
    createdAt: isoTime(charge.createdAt),
    capturedAt: charge.capturedAt === null ? null : isoTime(charge.capturedAt),
    merchantId: charge.merchantId,
    creation: charge.creation,
    ...charge.misreport,
  };
}

/**
 * Returns whether an open step is done; null without one. A wallet's or pix's step is done with the charge.
 */
function stepDone({ status, step }: Charge): boolean | null {
  if (!step || (status !== 'requires_action' && status !== 'pending')) return null;
  return step.kind === 'threeDS' && step.state !== 'open';
}

function actionView({ status, step, environment }: Charge, publicUrl: string) {
  if (!step || (status !== 'requires_action' && status !== 'pending')) return null;
  if (step.kind === 'threeDS') {
    if (status === 'pending') return null;
    const { kind, clientSecret, pageId } = step;
    return {
      kind,
      clientSecret,
      publishableKey: `pk_${environment}_simulator`,
      url: `${publicUrl}/challenge/${pageId}`,
    };
  }
  const expiresAt = isoTime(step.expiresAt);
  const url = `${publicUrl}/${step.kind}/${step.pageId}`;
  return step.kind === 'wallet'
    ? { kind: step.kind, url, expiresAt }
    : {
        kind: step.kind,
        code: step.code,
        url,
        expiresAt,
        amountBrl: { ...step.reais, rateAt: isoTime(step.reais.rateAt) },
      };
}

/** Returns a charge in the fixed form of the public ledger: captured, declined, open or voided. */
export function ledgerView(charge: Charge) {
  const { chargeId, paymentId, attemptId, amountCents } = charge;
  return {
    chargeId,
    paymentId,
    attemptId,
    amountCents,
    status: ledgerStatus(charge),
    createdAt: isoTime(charge.createdAt),
  };
}

function ledgerStatus({ status }: Charge): 'captured' | 'declined' | 'pending' | 'voided' {
  if (status === 'failed') return 'declined';
  return status === 'requires_action' ? 'pending' : status;
}

export function refundView(refund: Refund) {
  const { refundId, key, paymentId, chargeKey, amountCents, status, failureCode } = refund;
  return {
    refundId,
    key,
    paymentId,
    chargeKey,
    amountCents,
    status,
    failureCode,
    createdAt: isoTime(refund.createdAt),
  };
}

export function disputeView(dispute: Dispute) {
  const { disputeId, paymentId, chargeKey, amountCents, currency, reason, stage, status } = dispute;
  const times = { evidenceDueAt: isoTime(dispute.evidenceDueAt), createdAt: isoTime(dispute.createdAt) };
  return { disputeId, paymentId, chargeKey, amountCents, currency, reason, stage, status, ...times };
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
