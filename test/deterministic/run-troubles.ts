import { setTimeout as sleep } from 'node:timers/promises';
import { paymentIdOf, subjectOf, workflowTypes } from '../../src/temporal/contract/ids.ts';
import type { Made } from '../chaos/made.ts';
import type { Violation } from '../chaos/violation.ts';
import { Random } from '../support/harness/random.ts';
import type { Scheduler } from './scheduler.ts';
import { onStall } from './stalls.ts';
import { frozenRunLost } from './themes.ts';
import type { Job } from './temporal/protocol.ts';
import { askRun } from './temporal/queries.ts';
import { resetRun } from './temporal/reset-run.ts';
import type { Run } from './temporal/run.ts';
import type { World } from './world.ts';

/** The workflows whose runs are recovered from their rows. */
const recovered: readonly string[] = [
  workflowTypes.payment,
  workflowTypes.refund,
  workflowTypes.dispute,
  workflowTypes.deliverWebhook,
];

/** How long a worker whose run was terminated stays frozen, in ms: until another run owns the payment. */
const untilTakenOverMs = [120_000, 220_000] as const;

/** Pause between two faults, in ms. */
const pauseMs = [200, 2_500] as const;
/** How long operators query open payments, and the pause between two queries, in ms. */
const queriesMs = 3_000;
const queryPauseMs = [5, 80] as const;

/** How far the clock of Temporal's host is wrong, and for how long, in ms. */
const skewsMs = [-180_000, -30_000, -3_000, 3_000, 30_000, 180_000] as const;
const wrongMs = [1_000, 20_000] as const;

const clockFault = 'clock of Temporal wrong';

/** The queries that Temporal's UI sends for a workflow whose page is open, and the service's own. */
const questions = ['__temporal_workflow_metadata', '__stack_trace', 'status'] as const;

/** The share of seeds in which the clock of Temporal's host is wrong. */
const wrongClockShare = 0.12;

/** Returns whether the clock of Temporal's host is wrong in plays of a seed. */
export const drawWrongClock = (seed: number): boolean =>
  new Random(Math.imul(seed, 0x85ebca6b) ^ 0x1f83d9ab).chance(wrongClockShare);

/**
 * Returns whether a violation may be the checker's comparison of two clocks: workflows stamp rows with
 * Temporal's time, and PostgreSQL with its own.
 */
export const mayBeOfClock = ({ faults }: Scheduler, { invariant, detail }: Violation): boolean =>
  faults.has(clockFault) && (timed.includes(invariant) || detail.startsWith('final while'));
const timed: readonly string[] = ['I4', 'I24', 'I26'];

/** The parts of a play that faults of runs need. */
interface RunTroubles {
  world: World;
  scheduler: Scheduler;
  made: Pick<Made, 'terminated' | 'movedDeadline'>;
  /** Epoch ms. */
  untilMs: number;
  /** Whether the clock of Temporal's host may be wrong. */
  hasWrongClock: boolean;
}

/**
 * Does to runs what operators, deploys and data loss do: terminates, deletes, resets and cancels them,
 * queries them, starts the workers of another build, and sets Temporal's clock.
 */
export async function troubleRuns(context: RunTroubles): Promise<void> {
  const { world, scheduler, untilMs, hasWrongClock } = context;
  const { random } = scheduler;
  const isOver = (): boolean => Date.now() > untilMs || !scheduler.troubled;
  const asking: Promise<void>[] = [];
  loseFrozenRuns(context);
  for (;;) {
    await sleep(random.between(...pauseMs));
    if (isOver()) break;
    if (scheduler.draws('run terminated', 0.06)) lose(context, (run) => world.temporal.end(run));
    if (scheduler.draws('run deleted', 0.06)) lose(context, (run) => world.temporal.remove(run));
    if (scheduler.draws('run reset', 0.06)) reset(context);
    if (scheduler.draws('run canceled', 0.05)) cancel(context);
    if (scheduler.draws('operators query runs', 0.06)) asking.push(queryOpenPayments(context, isOver));
    if (scheduler.draws('workers of another build', 0.04)) world.changeBuild();
    if (hasWrongClock && scheduler.draws(clockFault, 0.1)) skewClock(context);
  }
  await Promise.all(asking);
}

/** Loses an open run; nothing remains in memory of what it did. */
function lose(context: RunTroubles, end: (run: Run) => void): void {
  const open = [...context.world.temporal.openRuns()].filter(isRecovered);
  if (open.length > 0) loseOne(context, context.scheduler.random.pick(open), end);
}

function loseOne({ scheduler, made }: RunTroubles, run: Run, end: (run: Run) => void): void {
  const paymentId = paymentIdOf(run.start.workflowId);
  if (paymentId !== null) made.terminated.add(paymentId);
  scheduler.note(`lost: a run of ${run.start.type}`);
  end(run);
}

/**
 * Terminates some payments' runs while the worker that works on them is frozen. It then continues for a run
 * that is gone, while another run owns the payment.
 */
function loseFrozenRuns(context: RunTroubles): void {
  const { world, scheduler } = context;
  onStall(scheduler, ({ owner, paymentId, prolong }) => {
    const runs = [...world.temporal.openRuns()].filter(
      ({ start, task }) => start.type === workflowTypes.payment && task?.owner === owner,
    );
    const ofStall = runs.find(({ start }) => paymentIdOf(start.workflowId) === paymentId);
    const run = ofStall ?? runs[0];
    if (run === undefined || !scheduler.draws(frozenRunLost, 0.1)) return;
    loseOne(context, run, (lost) => world.temporal.end(lost));
    // Elsewhere no deadline is long enough, and the other worker may be frozen too.
    if (run === ofStall && scheduler.isOfTheme(frozenRunLost))
      prolong(scheduler.random.between(...untilTakenOverMs));
  });
}

/** Resets the latest run of a workflow, mostly an open one, to one of its completed tasks. */
function reset({ world, scheduler }: RunTroubles): void {
  const { random } = scheduler;
  const latest = [...world.temporal.latestRuns()].filter((run) => isRecovered(run) && run.tasks.length > 0);
  const open = latest.filter(({ isOpen }) => isOpen);
  const chosen = open.length > 0 && random.chance(0.8) ? open : latest;
  if (chosen.length === 0) return;
  const run = random.pick(chosen);
  const taskNo = random.below(run.tasks.length);
  scheduler.note(`reset: a run of ${run.start.type} to task ${taskNo + 1} of ${run.tasks.length}`);
  resetRun(world.temporal, run, taskNo);
}

/**
 * Cancels an open run as an operator does in Temporal's UI: a checkout closes, and a delivery ends. No
 * delivery to the shops' own endpoints, which must get every event.
 */
function cancel({ world, scheduler, made }: RunTroubles): void {
  const { temporal, shop, otherShop } = world;
  const owned = [shop.endpointId, otherShop.endpointId];
  const open = [...temporal.openRuns()].filter(({ start }) => {
    const subject = subjectOf(start.workflowId);
    if (subject?.kind === 'delivery') return !owned.includes(subject.endpointId);
    return subject?.kind === 'payment';
  });
  if (open.length === 0) return;
  const run = scheduler.random.pick(open);
  const paymentId = paymentIdOf(run.start.workflowId);
  if (paymentId !== null) made.movedDeadline.add(paymentId);
  scheduler.note(`canceled: a run of ${run.start.type}`);
  temporal.give(run, { cancelWorkflow: { reason: 'canceled by an operator' } });
}

/** Sets the clock of Temporal's host, and right again after a while. */
function skewClock({ world, scheduler }: RunTroubles): void {
  const { random } = scheduler;
  const skewMs = random.pick(skewsMs);
  scheduler.note(`the clock of Temporal is wrong by ${skewMs} ms`);
  world.temporal.setSkew(skewMs);
  scheduler.outside(random.between(...wrongMs), 'the clock of Temporal is right again', () =>
    world.temporal.setSkew(0),
  );
}

async function queryOpenPayments({ world, scheduler }: RunTroubles, isOver: () => boolean): Promise<void> {
  const { random } = scheduler;
  const untilMs = Date.now() + queriesMs;
  while (Date.now() < untilMs && !isOver()) {
    const open = [...world.temporal.openRuns()].filter(({ start }) => start.type === workflowTypes.payment);
    const question = random.pick(questions);
    const job: Job = { queryWorkflow: { queryId: 'ui', queryType: question, arguments: [], headers: {} } };
    // The answers do not matter.
    if (open.length > 0) void askRun(world.temporal, random.pick(open), job).catch(() => undefined);
    await sleep(random.between(...queryPauseMs));
  }
}

const isRecovered = ({ start }: Run): boolean => recovered.includes(start.type);
