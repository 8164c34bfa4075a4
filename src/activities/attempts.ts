import { ApplicationFailure, Context } from '@temporalio/activity';
import { attemptKey } from '../domain/attempt-key.ts';
import { type AttemptReport, reportCharge, unknown } from './attempt-report.ts';
import { type AttemptActivityDeps, authorize } from './authorize.ts';
import { requirePayment } from './require-payment.ts';

/** The activities of a payment's attempts, as its workflow sees them. */
export interface AttemptActivities {
  /** Checks the token, records the attempt and sends the charge, once, under the attempt's key. */
  authorize(input: {
    paymentId: string;
    attemptNo: number;
    inputId: string;
    seq: number;
  }): Promise<AttemptReport>;
  /** Completes the attempt after the customer's step. */
  confirmAttempt(input: { paymentId: string; attemptNo: number }): Promise<AttemptReport>;
  /** Asks the network until it knows; `close` also makes sure that nothing can be charged any more. */
  resolveAttempt(input: { paymentId: string; attemptNo: number; close: boolean }): Promise<AttemptReport>;
}

/**
 * Not-found answers in a row before the key of an attempt is closed: a slow charge may still be on its way.
 */
const lookupsBeforeVoid = 3;

/**
 * Returns the vault and network calls of the payment workflow. Definite answers are values; an ambiguous end
 * is the outcome `unknown`, never a thrown verdict.
 */
export function createAttemptActivities(deps: AttemptActivityDeps): AttemptActivities {
  const { database, network } = deps;

  const resolve = async (paymentId: string, attemptNo: number, close: boolean): Promise<AttemptReport> => {
    const record = await requirePayment(database, paymentId);
    const key = attemptKey(paymentId, attemptNo);
    const voidKey = () => network.void({ key, paymentId, amountCents: record.amountCents });
    let charge = close ? await voidKey() : await network.lookup(key);
    if (!charge) {
      // Nothing there is no answer yet: the key is closed first, then nothing can arrive late.
      if (Context.current().info.attempt < lookupsBeforeVoid) return unknown;
      charge = await voidKey();
    }
    // The customer completed the step but nobody confirmed in time: the attempt is finished, not thrown away.
    if (close && charge.status === 'requires_action') charge = await network.confirm(key);
    const found = await reportCharge(deps, charge, record, attemptNo);
    return close && found.outcome.status === 'requiresAction' ? unknown : found;
  };

  return {
    authorize: (input) => authorize(deps, input),

    confirmAttempt: async ({ paymentId, attemptNo }) => {
      const record = await requirePayment(database, paymentId);
      const charge = await network.confirm(attemptKey(paymentId, attemptNo));
      return reportCharge(deps, charge, record, attemptNo);
    },

    resolveAttempt: async ({ paymentId, attemptNo, close }) => {
      const found = await resolve(paymentId, attemptNo, close);
      if (found.outcome.status === 'unknown') {
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
