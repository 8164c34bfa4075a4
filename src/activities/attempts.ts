import { ApplicationFailure, Context, log } from '@temporalio/activity';
import { attemptKey } from '../domain/payment.ts';
import { type Attempt, type AttemptReport, finalReport, unknownReport } from './attempt-report.ts';
import { type AttemptActivityDeps, authorize } from './authorize.ts';
import { type CallContext, type ExpectedState, commitWithAnswer } from './commit-with-answer.ts';
import { InFlightCalls } from './in-flight-calls.ts';
import { addressOf, callsEndWithinMs, finalAnswer, queryOnce, resolve } from './resolve-attempt.ts';
import { callingRunId } from './transitions.ts';

/**
 * The input of a call that the workflow task waits for. With `expectedState` the activity commits the next
 * transition with the answer and reports its number.
 */
export type ShortCall = Attempt & { expectedState?: ExpectedState };

/** The input of a query to the network. */
export interface ResolveInput extends Attempt {
  /** Also make sure that nothing can be charged any more. */
  close: boolean;
  /** An operator was alerted already that the network's answer contradicts the request. */
  alerted: boolean;
}

/** The activities of a payment's attempts, as its workflow sees them. */
export interface AttemptActivities {
  /**
   * Claims the attempt's reservation and sends the charge, once, under the attempt's key. It waits only
   * briefly: a longer call continues in its process, and the result is `running`. Run as a local activity.
   */
  authorize(input: ShortCall): Promise<AttemptReport | 'running'>;
  /** Completes the attempt after the customer's step; short like `authorize`. Run as a local activity. */
  confirmAttempt(input: ShortCall): Promise<AttemptReport | 'running'>;
  /** Waits for a call that is `running`, in this process or another. */
  awaitAttempt(input: Attempt): Promise<AttemptReport>;
  /**
   * Queries the network. Throws while the outcome is unknown, so that Temporal retries. `close` also makes
   * sure that nothing can be charged any more. An answer that contradicts the request is returned at once as
   * `suspicious`, unless it was `alerted`.
   */
  resolveAttempt(input: ResolveInput): Promise<AttemptReport>;
}

/** How long a workflow task waits for a provider's answer, in ms; most answers come well within it. */
const patienceMs = 1_500;

/** Pause between two queries about a call that another process makes, in ms. */
const queryEveryMs = 1_000;

/**
 * Returns the vault and network calls of the payment workflow. Definite answers are return values. A call
 * that ends ambiguously has the outcome `unknown`; a thrown error never means a definite answer.
 */
export function createAttemptActivities(deps: AttemptActivityDeps): AttemptActivities {
  const calls = new InFlightCalls<AttemptReport>();
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
        confirm(deps, attempt, { runId, expectedState, hold }),
      );
    },

    awaitAttempt: async (attempt) => {
      const running = calls.find(keyOf(attempt));
      if (running) return running;
      const end = performance.now() + callsEndWithinMs;
      while (performance.now() < end) {
        const stored = await finalReport(deps, attempt);
        if (stored) return stored;
        const found = await queryOnce(deps, attempt);
        if (found.outcome.status !== 'unknown') return found;
        await Context.current().sleep(queryEveryMs);
      }
      return unknownReport;
    },

    resolveAttempt: async ({ close, alerted, ...attempt }) => {
      const found = await resolve(deps, attempt, close);
      if (found.outcome.status === 'unknown' && (alerted || !found.suspicious)) {
        throw ApplicationFailure.create({
          message: `the network does not know the outcome of attempt ${keyOf(attempt)} yet`,
          type: 'OUTCOME_UNKNOWN',
          category: 'BENIGN',
        });
      }
      return found;
    },
  };
}

/** Completes an attempt after the customer's step. Never rejects: a lost answer is the outcome `unknown`. */
async function confirm(
  deps: AttemptActivityDeps,
  attempt: Attempt,
  context: CallContext,
): Promise<AttemptReport> {
  try {
    const { network, reference } = await addressOf(deps, attempt);
    const charge = await network.confirm(reference);
    const answer = await finalAnswer(deps, attempt, { network, reference, charge });
    return await commitWithAnswer(deps, context, attempt, answer);
  } catch (error) {
    log.warn('a confirmation was not sent, or its answer was lost', { error });
    return unknownReport;
  }
}

const keyOf = ({ paymentId, attemptNo }: Attempt): string => attemptKey(paymentId, attemptNo);
