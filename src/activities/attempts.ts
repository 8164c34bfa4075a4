import { ApplicationFailure, Context, log } from '@temporalio/activity';
import { closeUnprepared, loadProviderReference } from '../db/payments/provider-objects.ts';
import { loadSentAt, withholdIntent } from '../db/payments/reservations.ts';
import { attemptKey } from '../domain/attempt-key.ts';
import type { PaymentRecord } from '../domain/payment.ts';
import type { AttemptReference, Charge, PaymentNetwork } from '../providers/ports.ts';
import { type AttemptReport, finalReport, notStarted, recordedReport, unknown } from './attempt-report.ts';
import { type AttemptActivityDeps, authorize } from './authorize.ts';
import { callingRunId } from './calling-run.ts';
import { type Asking, type Foreseen, followUp } from './commit-with-answer.ts';
import { InFlightCalls } from './in-flight-calls.ts';
import { requirePayment } from './require-payment.ts';
import { reportSettled } from './finalize-decline.ts';

interface Attempt {
  paymentId: string;
  attemptNo: number;
}

/** `foreseen`: what follows from the answer is written with it, and the report says so. */
export type ShortCall = Attempt & { foreseen?: Foreseen };

/** `alerted`: an operator knows already that the network's answer contradicts what was asked of it. */
export interface ResolveInput extends Attempt {
  close: boolean;
  alerted: boolean;
}

/** The activities of a payment's attempts, as its workflow sees them. */
export interface AttemptActivities {
  /**
   * Claims the attempt's intent and sends the charge, once, under the attempt's key. Short: a call that takes
   * longer goes on in its process and is `running`. Run as a local activity.
   */
  authorize(input: ShortCall): Promise<AttemptReport | 'running'>;
  /** Completes the attempt after the customer's step; short like `authorize`. Run as a local activity. */
  confirmAttempt(input: ShortCall): Promise<AttemptReport | 'running'>;
  /** Waits for what is `running`, in whichever process this is. */
  awaitAttempt(input: Attempt): Promise<AttemptReport>;
  /**
   * Asks the network until it knows; `close` also makes sure that nothing can be charged any more. Returns
   * early with `suspicious` when the answer contradicts what was asked, unless that is known.
   */
  resolveAttempt(input: ResolveInput): Promise<AttemptReport>;
}

/** How long a workflow task waits for a provider's answer, in ms; most come well within it. */
const patienceMs = 1_500;

/** A provider call has ended by then, or its answer is lost: its own time-out is shorter, in ms. */
const callsEndWithinMs = 12_000;

/** Pause between two looks at a call that another process makes, in ms. */
const lookEveryMs = 1_000;

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

  const confirm = async (attempt: Attempt, asking: Asking): Promise<AttemptReport> => {
    try {
      const { network, reference } = await addressOf(attempt);
      const charge = await network.confirm(reference);
      const write = followUp(deps, asking);
      return await reportSettled(deps, network, charge, reference, attempt.attemptNo, null, write);
    } catch (error) {
      log.warn('a confirmation was not sent, or its answer was lost', { error });
      return unknown;
    }
  };

  /** What the network knows of an attempt now; null while that proves nothing. */
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
    // The customer completed the step but nobody confirmed in time: the attempt is finished, not thrown away.
    const canceled = await network.cancel(reference);
    return canceled.status === 'requires_action' ? network.confirm(reference) : canceled;
  };

  const resolve = async (attempt: Attempt, close: boolean): Promise<AttemptReport> => {
    const { paymentId, attemptNo } = attempt;
    if (await withholdIntent(database, paymentId, attemptNo)) return notStarted(false);
    const heard = await finalReport(deps, attempt);
    if (heard) return heard;
    const { network, reference } = await addressOf(attempt);
    if (isUnprepared(network, reference)) {
      // Nothing is charged without an object that was committed: the row alone makes certain that none is.
      if (await isEarly(deps, attempt)) return unknown;
      return (await closeUnprepared(database, attempt)) ? recordedReport(deps, attempt) : unknown;
    }
    const charge = await find(network, reference, attemptNo, close);
    if (charge === null) return unknown;
    const found = await reportSettled(deps, network, charge, reference, attemptNo);
    return close && found.outcome.status === 'requiresAction' ? unknown : found;
  };

  /** Asks the network once, while another process makes the call. */
  const look = async (attempt: Attempt): Promise<AttemptReport> => {
    const { network, reference } = await addressOf(attempt);
    if (isUnprepared(network, reference)) return unknown;
    const charge = await network.lookup(reference);
    return charge ? reportSettled(deps, network, charge, reference, attempt.attemptNo) : unknown;
  };

  return {
    authorize: ({ foreseen = null, ...attempt }) => {
      const runId = callingRunId();
      return calls.begin(keyOf(attempt), patienceMs, (hold) =>
        authorize(deps, attempt, { runId, foreseen, hold }),
      );
    },

    confirmAttempt: ({ foreseen = null, ...attempt }) => {
      const runId = callingRunId();
      return calls.begin(keyOf(attempt), patienceMs, (hold) => confirm(attempt, { runId, foreseen, hold }));
    },

    awaitAttempt: async (attempt) => {
      const running = calls.find(keyOf(attempt));
      if (running) return running;
      const end = Date.now() + callsEndWithinMs;
      while (Date.now() < end) {
        const heard = await finalReport(deps, attempt);
        if (heard) return heard;
        const found = await look(attempt);
        if (found.outcome.status !== 'unknown') return found;
        await Context.current().sleep(lookEveryMs);
      }
      return unknown;
    },

    resolveAttempt: async ({ close, alerted, ...attempt }) => {
      const found = await resolve(attempt, close);
      if (found.outcome.status === 'unknown' && (alerted || !found.suspicious)) {
        throw ApplicationFailure.create({
          message: 'the network does not tell the outcome yet',
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

/** Ms since the attempt was claimed for sending. */
async function sinceSent(
  { database }: AttemptActivityDeps,
  { paymentId, attemptNo }: Attempt,
): Promise<number> {
  const sentAt = await loadSentAt(database, paymentId, attemptNo);
  return sentAt === null ? Infinity : Date.now() - sentAt.getTime();
}

/** Whether the call may still be on its way, and has not been looked for often enough. */
async function isEarly(deps: AttemptActivityDeps, attempt: Attempt): Promise<boolean> {
  const often = Context.current().info.attempt >= lookupsBeforeClosing;
  return !often && (await sinceSent(deps, attempt)) < callsEndWithinMs;
}

/**
 * Nothing there is no answer yet: the attempt is made certain to be dead first, then nothing can arrive late.
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

/** What an attempt is that the network can no longer come to know. */
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
