import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { AnswerRefusal, AnswerResult, DisputeActivities, DisputeFacts } from '../activities/disputes.ts';
import { isClosedDispute } from '../domain/dispute.ts';
import { disputeChores } from '../domain/dispute-agenda.ts';
import { refusals } from '../domain/refusals.ts';
import type { PaymentStatus } from '../domain/statuses.ts';
import {
  type DisputeAnswer,
  type DisputeWorkflowInput,
  answerDisputeUpdate,
  disputeChangedSignal,
  disputeUnreadable,
} from '../temporal/contract/dispute.ts';
import { paymentStatusKey } from '../temporal/contract/search-attribute-keys.ts';
import { withOperatorAlert } from './operator-alert.ts';
import { providerRetryOptions } from './provider-activities.ts';

/** The run waits for an instant nearer than this, in ms; for a later one the sweep starts another run. */
const maxWaitMs = 2 * 60_000;

/** A merchant's answer that waits for the loop. `result`: null until the network has taken or refused it. */
interface PendingAnswer {
  answer: DisputeAnswer;
  result: AnswerResult | null;
}

/**
 * Does what one dispute needs now: records its state, reminds the merchant, submits staged evidence before
 * the deadline and sends the merchant's answers to the network. Then the run ends. The rows record what was
 * done and when the next run is needed; a change, an answer or the sweep starts that run. Only the loop acts,
 * so answers, deadlines and changes never overlap. docs/refunds-and-disputes.md.
 */
export async function disputeWorkflow(input: DisputeWorkflowInput): Promise<{ closed: boolean }> {
  const provider = proxyActivities<DisputeActivities>(providerRetryOptions(workflowInfo().taskQueue));
  const { disputeId, reference, connectorId, environment } = input;
  let hints = 0;
  const pending: PendingAnswer[] = [];

  setHandler(
    disputeChangedSignal,
    () => {
      hints += 1;
    },
    { description: 'The dispute may have changed at the network; it is read again.' },
  );
  setHandler(
    answerDisputeUpdate,
    async ({ answer }) => {
      const own: PendingAnswer = { answer, result: null };
      pending.push(own);
      await condition(() => own.result !== null);
      const refused = own.result ? own.result.refused : 'dispute_closed';
      if (refused) throw ApplicationFailure.nonRetryable(refusals[refused].message, refused);
    },
    { description: 'Submits the staged evidence, or accepts the dispute. Final.' },
  );

  /** Refuses all answers that wait. */
  const refuseAll = (refused: AnswerRefusal): void => {
    for (const one of pending.splice(0)) one.result = { refused };
  };

  /** Sends an answer to the network and stores its result for the handler that waits. */
  const sendAnswer = async (pendingAnswer: PendingAnswer, { status }: DisputeFacts): Promise<void> => {
    // The network has the evidence: it is too late even to accept the dispute.
    pendingAnswer.result =
      status === 'underReview'
        ? { refused: 'evidence_already_submitted' }
        : ((await orUnreadable(() =>
            pendingAnswer.answer === 'submit'
              ? provider.submitEvidence({ disputeId, automatic: false })
              : provider.acceptDispute({ disputeId }),
          )) ?? { refused: 'service_unavailable' });
  };

  const done = new Set<string>();

  /** Does everything that is due now, each thing once in a run. Returns whether anything was due. */
  const doChores = async (facts: DisputeFacts): Promise<boolean> => {
    const { remind, submit } = disputeChores(datesOf(facts), Date.now());
    const before = done.size;
    if (remind !== null && !done.has(`remind ${remind}`)) {
      done.add(`remind ${remind}`);
      await provider.remindOfEvidence({ disputeId, hours: remind });
    }
    if (submit !== null && !done.has(submit)) {
      done.add(submit);
      await orUnreadable(() => provider.submitEvidence({ disputeId, automatic: submit === 'automatic' }));
    }
    return done.size > before;
  };

  let shown: PaymentStatus | null = null;
  for (;;) {
    const seen = hints;
    const facts = await orUnreadable(() => provider.refreshDispute({ reference, connectorId, environment }));
    if (facts === undefined) {
      // The dispute is put aside and is read again later. Nothing acts on it meanwhile.
      refuseAll('service_unavailable');
      await condition(allHandlersFinished);
      if (hints > seen || pending.length > 0) continue;
      return { closed: false };
    }
    if (facts && facts.paymentStatus !== shown) {
      shown = facts.paymentStatus;
      upsertSearchAttributes([{ key: paymentStatusKey, value: facts.paymentStatus }]);
    }
    const closed = facts === null || isClosedDispute(facts.status);
    if (closed) refuseAll('dispute_closed');
    else {
      setCurrentDetails(describe(facts));
      const next = pending.shift();
      if (next) await sendAnswer(next, facts);
      if (next || (await doChores(facts))) continue;
      const { nextAtMs } = disputeChores(datesOf(facts), Date.now());
      const waitMs = nextAtMs === null ? maxWaitMs : nextAtMs - Date.now();
      if (waitMs < maxWaitMs) {
        await condition(() => hints > seen || pending.length > 0, Math.max(1, waitMs));
        continue;
      }
    }
    await condition(allHandlersFinished);
    // A change or an answer that arrived meanwhile is processed, not lost.
    if (hints > seen || pending.length > 0) continue;
    if (closed) setCurrentDetails('**closed**');
    return { closed: facts !== null && closed };
  }
}

/** Runs provider work; returns undefined when the network's dispute was not understood and was put aside. */
async function orUnreadable<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await withOperatorAlert(work);
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : null;
    if (cause instanceof ApplicationFailure && cause.type === disputeUnreadable) return undefined;
    throw error;
  }
}

const datesOf = (facts: DisputeFacts) => ({
  ...facts,
  createdAt: new Date(facts.createdAtMs),
  reopenedAt: null,
  evidenceDueAt: new Date(facts.evidenceDueAtMs),
  submittedAt: facts.submittedAtMs === null ? null : new Date(facts.submittedAtMs),
});

function describe({ status, evidenceDueAtMs }: DisputeFacts): string {
  return status === 'underReview'
    ? '**underReview** · waits for the network to decide'
    : `**needsResponse** · evidence is due ${new Date(evidenceDueAtMs).toISOString()}`;
}
