import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AnswerRefusal, AnswerResult, DisputeActivities, DisputeFacts } from '../activities/disputes.ts';
import { type DisputeAgenda, disputeAgenda } from '../domain/dispute.ts';
import { refusals } from '../domain/refusals.ts';
import {
  type DisputeAnswer,
  type DisputeWorkflowInput,
  answerDisputeUpdate,
  disputeChangedSignal,
} from '../temporal/contract/dispute.ts';
import { withOperatorAlert } from './operator-alert.ts';
import { providerRetryOptions } from './provider-activities.ts';
import { createWebhookDispatcher } from './webhook-dispatch.ts';

const minute = 60_000;
const hour = 60 * minute;
/**
 * Waits between looks at the network since the last change, for callbacks that were lost; the last repeats.
 * In ms.
 */
const pollWaits = [5_000, 30_000, 2 * minute, 10 * minute, hour, 6 * hour, 24 * hour];

interface Job {
  answer: DisputeAnswer;
  result: AnswerResult | null;
}

/**
 * The life of one dispute: records it, reminds, submits staged evidence before the deadline, passes the
 * merchant's answers on, and follows the network until it is closed. The loop is the only place that acts, so
 * that answers, timers and news never cross. docs/refunds-and-disputes.md.
 */
export async function disputeWorkflow(input: DisputeWorkflowInput): Promise<{ closed: boolean }> {
  const provider = proxyActivities<DisputeActivities>(providerRetryOptions(workflowInfo().taskQueue));
  const webhooks = createWebhookDispatcher(workflowInfo().taskQueue);
  const { disputeId, reference } = input;
  let hints = 0;
  let facts: DisputeFacts | null = null;
  const jobs: Job[] = [];

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
      const job: Job = { answer, result: null };
      jobs.push(job);
      await condition(() => job.result !== null);
      const refused = job.result ? job.result.refused : 'dispute_closed';
      if (refused) throw ApplicationFailure.nonRetryable(refusals[refused].message, refused);
    },
    { description: 'Submits the staged evidence, or accepts the dispute. Final.' },
  );

  const answerAll = (refused: AnswerRefusal): void => {
    for (const job of jobs.splice(0)) job.result = { refused, eventIds: [] };
  };

  const runJob = async (job: Job, { submitted }: DisputeFacts): Promise<void> => {
    // The evidence is with the network: even giving up comes too late.
    const answered: AnswerResult = submitted
      ? { refused: 'evidence_already_submitted', eventIds: [] }
      : await withOperatorAlert(() =>
          job.answer === 'submit'
            ? provider.submitEvidence({ disputeId, automatic: false })
            : provider.acceptDispute({ disputeId }),
        );
    webhooks.dispatch(answered.eventIds);
    job.result = answered;
  };

  const reminded = new Set<number>();
  let submittedByItself = false;

  /** What the clock asks for now. Reminders that were missed together are one. */
  const keepAgenda = async (agenda: DisputeAgenda, current: DisputeFacts): Promise<void> => {
    const now = Date.now();
    if (current.submitted || now >= agenda.dueAtMs) return;
    const due = agenda.reminders.filter(({ hours, atMs }) => atMs <= now && !reminded.has(hours));
    for (const { hours } of due) reminded.add(hours);
    const latest = due.at(-1);
    if (latest) {
      const { eventIds } = await provider.remindOfEvidence({ disputeId, hours: latest.hours });
      webhooks.dispatch(eventIds);
    }
    if (submittedByItself || now < agenda.autoSubmitAtMs) return;
    submittedByItself = true;
    const { eventIds } = await withOperatorAlert(() =>
      provider.submitEvidence({ disputeId, automatic: true }),
    );
    webhooks.dispatch(eventIds);
  };

  let round = 0;
  for (;;) {
    const known = hints;
    const before: DisputeFacts | null = facts;
    facts = await withOperatorAlert(() => provider.refreshDispute({ reference }));
    if (facts) webhooks.dispatch(facts.eventIds);
    if (!facts || facts.closed) break;
    const current: DisputeFacts = facts;
    setCurrentDetails(describe(current));
    const agenda = disputeAgenda(current.createdAtMs, current.evidenceDueAtMs);
    const job = jobs.shift();
    if (job) {
      await runJob(job, current);
      continue;
    }
    await keepAgenda(agenda, current);
    round = before?.submitted === current.submitted ? round + 1 : 0;
    const poll = pollWaits[Math.min(round, pollWaits.length - 1)] ?? hour;
    await condition(
      () => hints > known || jobs.length > 0,
      Math.min(poll, untilNext(agenda, current, { reminded, submittedByItself })),
    );
  }
  answerAll('dispute_closed');
  await webhooks.flushed();
  await condition(allHandlersFinished);
  setCurrentDetails('**closed**');
  return { closed: facts !== null };
}

/** Milliseconds until the clock asks for something. */
function untilNext(
  agenda: DisputeAgenda,
  facts: DisputeFacts,
  done: { reminded: ReadonlySet<number>; submittedByItself: boolean },
): number {
  if (facts.submitted) return Number.MAX_SAFE_INTEGER;
  const instants = [
    ...agenda.reminders.filter(({ hours }) => !done.reminded.has(hours)).map(({ atMs }) => atMs),
    ...(done.submittedByItself ? [] : [agenda.autoSubmitAtMs]),
    agenda.dueAtMs,
  ].filter((atMs) => atMs > Date.now());
  return Math.max(1, Math.min(Number.MAX_SAFE_INTEGER, ...instants) - Date.now());
}

function describe({ submitted, evidenceDueAtMs }: DisputeFacts): string {
  return submitted
    ? '**underReview** · waits for the network to decide'
    : `**needsResponse** · evidence is due ${new Date(evidenceDueAtMs).toISOString()}`;
}
