import { ApplicationFailure, Context, log } from '@temporalio/activity';
import { closeUnprepared, loadProviderReference } from '../db/payments/provider-objects.ts';
import { cancelUnclaimed, loadSentAgeMs } from '../db/payments/reservations.ts';
import { attemptKey } from '../domain/attempt-key.ts';
import type { PaymentRecord } from '../domain/payment.ts';
import type { AttemptReference, Charge, PaymentNetwork } from '../providers/ports.ts';
import {
  type Attempt,
  type AttemptReport,
  type ProviderAnswer,
  answerOf,
  finalCharge,
  finalReport,
  notStarted,
  recordAlone,
  recordedReport,
  unknown,
} from './attempt-report.ts';
import { type AttemptActivityDeps, authorize } from './authorize.ts';
import { callingRunId } from './calling-run.ts';
import { type CallContext, type ExpectedState, commitWithAnswer } from './commit-with-answer.ts';
import { InFlightCalls } from './in-flight-calls.ts';
import { requirePayment } from './require-payment.ts';

/** `expectedState`: the next transition is committed with the answer, and the report says so. */
export type ShortCall = Attempt & { expectedState?: ExpectedState };

/** `alerted`: an operator was alerted already that the network's answer contradicts the request. */
export interface ResolveInput extends Attempt {
  close: boolean;
  alerted: boolean;
}

/** The activities of a payment's attempts, as its workflow sees them. */
export interface AttemptActivities {
  /**
   * Claims the attempt's reservation and sends the charge, once, under the attempt's key. Short: a call that takes
   * longer goes on in its process and is `running`. Run as a local activity.
   */
  authorize(input: ShortCall): Promise<AttemptReport | 'running'>;
  /** Completes the attempt after the customer's step; short like `authorize`. Run as a local activity. */
  confirmAttempt(input: ShortCall): Promise<AttemptReport | 'running'>;
  /** Waits for a call that is `running`, in this process or another. */
  awaitAttempt(input: Attempt): Promise<AttemptReport>;
  /**
   * Queries the network until the outcome is known; `close` also makes sure that nothing can be charged any
   * more. Returns early with `suspicious` when the answer contradicts the request, unless that was alerted.
   */
  resolveAttempt(input: ResolveInput): Promise<AttemptReport>;
}

/** How long a workflow task waits for a provider's answer, in ms; most come well within it. */
const patienceMs = 1_500;

/** A provider call has ended by then, or its answer is lost: its own time-out is shorter, in ms. */
const callsEndWithinMs = 12_000;

/** Pause between two queries about a call that another process makes, in ms. */
const queryEveryMs = 1_000;

/** Not-found answers in a row before an unseen key is closed: a slow charge may still be on its way. */
const lookupsBeforeClosing = 3;

/**
 * Returns the vault and network calls of the payment workflow. Definite answers are values; an ambiguous end
 * is the outcome `unknown`, never a thrown verdict.
 */
export function createAttemptActivities(deps: AttemptActivityDeps): AttemptActivities {
  const { database, connectors } = deps;
  const calls = new InFlightCalls<AttemptReport>();

  /** The network of an attempt, and what it knows the attempt by. */
  const addressOf = async (
    attempt: Attempt,
  ): Promise<{ network: PaymentNetwork; reference: AttemptReference }> => {
    const record = await requirePayment(database, attempt.paymentId);
    const { network } = await connectors.portsOf(record);
    const prepared = network.prepare === null ? null : await loadProviderReference(database, attempt);
    return { network, reference: referenceOf(record, attempt.attemptNo, prepared) };
  };

  const finalAnswer = async (
    network: PaymentNetwork,
    charge: Charge,
    reference: AttemptReference,
    attempt: Attempt,
  ): Promise<ProviderAnswer> => {
    const final = await finalCharge(network, charge, reference);
    return answerOf(deps, final, { ...attempt, amountCents: reference.amountCents });
  };

  const recordFinal = async (
    ...call: [PaymentNetwork, Charge, AttemptReference, Attempt]
  ): Promise<AttemptReport> => recordAlone(deps, call[3], await finalAnswer(...call));

  const confirm = async (attempt: Attempt, context: CallContext): Promise<AttemptReport> => {
    try {
      const { network, reference } = await addressOf(attempt);
      const charge = await network.confirm(reference);
      const answer = await finalAnswer(network, charge, reference, attempt);
      return await commitWithAnswer(deps, context, attempt, answer);
    } catch (error) {
      log.warn('a confirmation was not sent, or its answer was lost', { error });
      return unknown;
    }
  };

  /** The network's charge of an attempt; null while it proves nothing. */
  const find = async (
    network: PaymentNetwork,
    reference: AttemptReference,
    attemptNo: number,
    close: boolean,
  ): Promise<Charge | null> => {
    const charge = await network.lookup(reference);
    if (charge === null) return closeUnseen(deps, network, reference, attemptNo);
    const open =
      charge.status === 'requires_action' || (charge.status === 'pending' && charge.action !== null);
    if (!close || !open) return charge;
    // The customer completed the step but it was not confirmed in time: the attempt is completed, not discarded.
    const canceled = await network.cancel(reference);
    return canceled.status === 'requires_action' ? network.confirm(reference) : canceled;
  };

  const resolve = async (attempt: Attempt, close: boolean): Promise<AttemptReport> => {
    const { paymentId, attemptNo } = attempt;
    if (await cancelUnclaimed(database, paymentId, attemptNo)) return notStarted(false);
    const stored = await finalReport(deps, attempt);
    if (stored) return stored;
    const { network, reference } = await addressOf(attempt);
    if (isUnprepared(network, reference)) {
      // Nothing is charged without a committed object: the row alone proves that there is none.
      if (await isEarly(deps, attempt)) return unknown;
      return (await closeUnprepared(database, attempt)) ? recordedReport(deps, attempt) : unknown;
    }
    const charge = await find(network, reference, attemptNo, close);
    if (charge === null) return unknown;
    const found = await recordFinal(network, charge, reference, attempt);
    return close && found.outcome.status === 'requiresAction' ? unknown : found;
  };

  /** Queries the network once, while another process makes the call. */
  const queryOnce = async (attempt: Attempt): Promise<AttemptReport> => {
    const { network, reference } = await addressOf(attempt);
    if (isUnprepared(network, reference)) return unknown;
    const charge = await network.lookup(reference);
    return charge ? recordFinal(network, charge, reference, attempt) : unknown;
  };

  return {
    authorize: ({ expectedState = null, ...attempt }) => {
      const runId = callingRunId();
      return calls.begin(keyOf(attempt), patienceMs, (hold) =>
        authorize(deps, attempt, { runId, expectedState, hold }),
      );
    },

    confirmAttempt: ({ expectedState = null, ...attempt }) => {
      const runId = callingRunId();
      return calls.begin(keyOf(attempt), patienceMs, (hold) =>
        confirm(attempt, { runId, expectedState, hold }),
      );
    },

    awaitAttempt: async (attempt) => {
      const running = calls.find(keyOf(attempt));
      if (running) return running;
      const end = performance.now() + callsEndWithinMs;
      while (performance.now() < end) {
        const stored = await finalReport(deps, attempt);
        if (stored) return stored;
        const found = await queryOnce(attempt);
        if (found.outcome.status !== 'unknown') return found;
        await Context.current().sleep(queryEveryMs);
      }
      return unknown;
    },

    resolveAttempt: async ({ close, alerted, ...attempt }) => {
      const found = await resolve(attempt, close);
      if (found.outcome.status === 'unknown' && (alerted || !found.suspicious)) {
        throw ApplicationFailure.create({
          message: 'the network does not know the outcome yet',
          type: 'OUTCOME_UNKNOWN',
          category: 'BENIGN',
        });
      }
      return found;
    },
  };
}

const keyOf = ({ paymentId, attemptNo }: Attempt): string => attemptKey(paymentId, attemptNo);

const isUnprepared = ({ prepare }: PaymentNetwork, { providerReference }: AttemptReference): boolean =>
  prepare !== null && providerReference === null;

function referenceOf(
  record: PaymentRecord,
  attemptNo: number,
  providerReference: string | null,
): AttemptReference {
  return {
    key: attemptKey(record.id, attemptNo),
    paymentId: record.id,
    merchantId: record.merchantId,
    environment: record.environment,
    amountCents: record.amountCents,
    providerReference,
  };
}

/** Ms since the attempt was claimed for sending, by PostgreSQL's clock alone. */
async function sinceSent(
  { database }: AttemptActivityDeps,
  { paymentId, attemptNo }: Attempt,
): Promise<number> {
  return (await loadSentAgeMs(database, paymentId, attemptNo)) ?? Infinity;
}

/** Whether the call may still be in transit, and was not queried often enough. */
async function isEarly(deps: AttemptActivityDeps, attempt: Attempt): Promise<boolean> {
  const often = Context.current().info.attempt >= lookupsBeforeClosing;
  return !often && (await sinceSent(deps, attempt)) < callsEndWithinMs;
}

/**
 * Closes the key of a charge that the network does not know, so that nothing can arrive late; only then the
 * attempt counts as not charged. Null: too early, or not closed yet.
 */
async function closeUnseen(
  deps: AttemptActivityDeps,
  { unseenKeys }: PaymentNetwork,
  reference: AttemptReference,
  attemptNo: number,
): Promise<Charge | null> {
  const attempt = { paymentId: reference.paymentId, attemptNo };
  if (unseenKeys.closedBy === 'horizon') {
    return (await sinceSent(deps, attempt)) < unseenKeys.afterMs ? null : neverArrived(reference);
  }
  return (await isEarly(deps, attempt)) ? null : unseenKeys.close(reference);
}

/** The charge of an attempt that can no longer reach the network. */
const neverArrived = ({ key, paymentId, amountCents }: AttemptReference): Charge => ({
  chargeId: key,
  key,
  paymentId,
  amountCents,
  currency: 'USD',
  status: 'voided',
  failureCode: null,
  message: null,
  card: null,
  action: null,
  stepDone: null,
});
