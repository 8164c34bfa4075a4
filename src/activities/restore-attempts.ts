import {
  type EndedAttempt,
  confirmUnsent,
  loadKnownAttempts,
  restoreAttemptRows,
} from '../db/payments/lost-attempts.ts';
import { recordAnswer } from '../db/payments/attempt-answers.ts';
import { schedulePaymentCheckSoon } from '../db/payments/payment-checks.ts';
import { maxReleased } from '../db/payments/reservations.ts';
import type { Database } from '../db/server/database.ts';
import { type PaymentRecord, attemptKey } from '../domain/payment.ts';
import type { PaymentMethod } from '../domain/statuses.ts';
import type { Connectors } from '../providers/connectors.ts';
import { boundedFailure } from '../providers/failure-text.ts';
import {
  type AttemptReference,
  type Charge,
  type PaymentNetwork,
  TooManyCharges,
} from '../providers/ports.ts';
import type { Attempt } from './attempt-report.ts';
import { requirePayment } from './require-payment.ts';

export interface RestoreDeps {
  database: Database;
  connectors: Pick<Connectors, 'portsOf'>;
}

/** Facts about a payment's attempts from other sources than its rows. */
export interface KnownOutsideRows {
  /** The latest attempt that the provider may know. */
  lastAttemptNo: number;
  method: PaymentMethod | null;
  /** Number of the latest transition that was ever committed; 0: not known. */
  seq: number;
}

/** An attempt as the provider knows it. */
interface FoundAttempt {
  attemptNo: number;
  /** Null: the provider does not know the key, or has no charge for it yet. */
  charge: Charge | null;
  reference: AttemptReference;
}

/** Finds and restores attempts that the rows do not have. ADR 0038. */
export interface LostAttempts {
  /** Returns whether the provider knows an attempt that no row shows as sent. */
  isKnownToProvider(attempt: Attempt): Promise<boolean>;
  /** Returns whether an earlier call that the rows lack requested the charge of an attempt. */
  isCharged(attempt: Attempt): Promise<boolean>;
  /**
   * Returns whether the charge of one of the attempts released before this one was requested from the
   * provider, although no row shows that attempt as sent. Then this attempt is recorded as not sent, the
   * earlier one is restored, and the payment's run is to resume from the rows. Throws while the provider does
   * not answer, and when there are more attempts than one call checks.
   */
  restoreReleased(attempt: Attempt, releasedBefore: readonly number[]): Promise<boolean>;
  /**
   * Queries the provider, by its key, for each attempt up to the last one that the rows do not show as over,
   * and restores the rows of those attempts. Throws while the provider does not answer.
   */
  restore(paymentId: string, known: KnownOutsideRows): Promise<void>;
}

/** Returns the finder of lost attempts. Faults of PostgreSQL and the provider are thrown. */
export function createLostAttempts({ database, connectors }: RestoreDeps): LostAttempts {
  /**
   * Returns the provider's view; null when there are too many charges to find it, and the row alone decides.
   */
  const findOne = async ({ paymentId, attemptNo }: Attempt): Promise<FoundAttempt | null> => {
    const record = await requirePayment(database, paymentId);
    const { network } = await connectors.portsOf(record);
    try {
      return await findAttempt(network, record, attemptNo, null);
    } catch (error) {
      if (error instanceof TooManyCharges) return null;
      throw error;
    }
  };

  const isCharged: LostAttempts['isCharged'] = async (attempt) =>
    ((await findOne(attempt))?.charge ?? null) !== null;

  const restore: LostAttempts['restore'] = async (paymentId, { lastAttemptNo, method, seq }) => {
    const record = await requirePayment(database, paymentId);
    const rows = await loadKnownAttempts(database, paymentId);
    const { network } = await connectors.portsOf(record);
    const stored = new Map(rows?.attempts.map((attempt) => [attempt.attemptNo, attempt]));
    const last = Math.max(lastAttemptNo, ...stored.keys());
    const found: FoundAttempt[] = [];
    for (let attemptNo = 1; attemptNo <= last; attemptNo += 1) {
      const row = stored.get(attemptNo);
      if (row && isOver(row.status)) continue;
      found.push(await findAttempt(network, record, attemptNo, row?.providerReference ?? null));
    }
    /**
     * Returns whether the provider never got it: it was released, or reserved after the last and not sent.
     */
    const isUnsent = ({ attemptNo, charge, reference }: FoundAttempt): boolean => {
      const row = stored.get(attemptNo);
      if (!row || charge !== null || reference.providerReference !== null) return false;
      const isUnclaimed = !row.isClaimed || row.isNotSent;
      return row.status === 'released' || (attemptNo > lastAttemptNo && isUnclaimed);
    };
    const sent = found.filter((attempt) => !isUnsent(attempt));
    // The newest that may have been sent, unless an earlier one was captured.
    const open = sent.find(({ charge }) => charge?.status === 'captured') ?? sent.at(-1) ?? null;
    const ended: EndedAttempt[] = [];
    for (const attempt of sent) if (attempt !== open) ended.push(await endOf(network, attempt));
    await restoreAttemptRows(database, {
      paymentId,
      open: open && {
        attemptNo: open.attemptNo,
        providerReference: open.reference.providerReference,
      },
      ended,
      unsent: open === null ? [] : found.filter(isUnsent).map(({ attemptNo }) => attemptNo),
      method,
      seq,
      stateSeq: rows?.stateSeq ?? 0,
    });
  };

  return {
    isKnownToProvider: async (attempt) => {
      const found = await findOne(attempt);
      return found !== null && (found.charge !== null || found.reference.providerReference !== null);
    },

    isCharged,

    restoreReleased: async (attempt, releasedBefore) => {
      const { paymentId } = attempt;
      for (const attemptNo of releasedBefore) {
        if (await isCharged({ paymentId, attemptNo })) {
          await recordAnswer(database, attempt, 'not_sent');
          await restore(paymentId, { lastAttemptNo: attempt.attemptNo - 1, method: null, seq: 0 });
          await schedulePaymentCheckSoon(database, paymentId);
          return true;
        }
        await confirmUnsent(database, { paymentId, attemptNo });
      }
      if (releasedBefore.length === maxReleased) {
        throw new Error(`payment ${paymentId} may have more than ${maxReleased} released attempts to check`);
      }
      return false;
    },

    restore,
  };
}

/** Returns whether the rows prove that an attempt is over. A released attempt's claim may be lost. */
const isOver = (status: string): boolean =>
  status !== 'processing' && status !== 'requiresAction' && status !== 'released';

/** Queries the provider for an attempt, and first for its object where the provider has such objects. */
async function findAttempt(
  network: PaymentNetwork,
  record: PaymentRecord,
  attemptNo: number,
  stored: string | null,
): Promise<FoundAttempt> {
  const named = {
    key: attemptKey(record.id, attemptNo),
    paymentId: record.id,
    merchantId: record.merchantId,
    environment: record.environment,
    amountCents: record.amountCents,
  };
  const providerReference =
    stored ?? (network.findPrepared === null ? null : await network.findPrepared(named, record));
  const reference = { ...named, providerReference };
  if (network.prepare !== null && providerReference === null) return { attemptNo, charge: null, reference };
  return { attemptNo, charge: await network.lookup(reference), reference };
}

/** Returns how an attempt ended that another followed. Throws when it has not ended at the provider. */
async function endOf(
  network: PaymentNetwork,
  { attemptNo, charge, reference }: FoundAttempt,
): Promise<EndedAttempt> {
  const canClose = network.unseenKeys.closedBy !== 'horizon' || charge !== null;
  const isUnprepared = network.prepare !== null && reference.providerReference === null;
  const isUndecided = charge === null || charge.status === 'pending' || charge.status === 'requires_action';
  const final = isUndecided && canClose && !isUnprepared ? await network.cancel(reference) : charge;
  const ended = (status: EndedAttempt['status']): EndedAttempt => ({
    attemptNo,
    status,
    providerReference: reference.providerReference,
    failureCode: null,
    failureMessage: null,
    card: final?.card ?? null,
  });
  switch (final?.status) {
    case undefined:
    case 'voided':
      return ended('voided');
    case 'declined':
    case 'failed': {
      const { failureCode, message } = boundedFailure(final.failureCode, final.message);
      return { ...ended(final.status), failureCode, failureMessage: message };
    }
    case 'captured':
    case 'pending':
    case 'requires_action':
    case 'unreadable':
      throw new Error(
        `attempt ${reference.key} is ${final.status} at the provider although another attempt followed`,
      );
  }
}
