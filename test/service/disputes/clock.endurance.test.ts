import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Client, type WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { DisputeActivities, DisputeFacts } from '../../../src/activities/disputes.ts';
import type { RefundActivities } from '../../../src/activities/refunds.ts';
import type { DisputeStatus } from '../../../src/domain/dispute.ts';
import { nextDisputeCheck } from '../../../src/domain/dispute-agenda.ts';
import { type RefundStatus, nextRefundCheck } from '../../../src/domain/refund.ts';
import { failureConverter } from '../../../src/temporal/failure-converter.ts';
import { refundChangedSignal } from '../../../src/temporal/contract/refund.ts';
import { disputeStart, refundStart } from '../../../src/temporal/contract/start-refund-or-dispute.ts';
import { keepHistory } from '../../support/keep-history.ts';
import { refusalOf, startTimeSkipping } from '../../support/payment-harness.ts';

const hour = 3_600_000;
const day = 24 * hour;

let env: TestWorkflowEnvironment;
let workers: Worker[];
let runs: Promise<void>[];
/** The fakes of the running test. Tests of this file run in turn, because they share the server's time. */
let provider: Partial<DisputeActivities & RefundActivities> = {};

const prefix = `${randomUUID()}-`;
const names = [
  'refreshDispute',
  'remindOfEvidence',
  'submitEvidence',
  'acceptDispute',
  'followRefund',
] as const;

/** One set of workers for all tests, because creating them takes longer than the tests do. */
beforeAll(async () => {
  env = await startTimeSkipping();
  const code = await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  const connection = env.nativeConnection;
  const dataConverter = { failureConverter } as never;
  const create = (queue: string, parts: object): Promise<Worker> =>
    Worker.create({ connection, dataConverter, taskQueue: `${prefix}${queue}`, ...parts });
  const call =
    (name: (typeof names)[number]) =>
    (input: unknown): unknown =>
      (provider[name] as (input: unknown) => unknown)(input);
  workers = await Promise.all([
    create('payments', { workflowBundle: { code } }),
    create('provider', { activities: Object.fromEntries(names.map((name) => [name, call(name)])) }),
    create('webhooks', { activities: { startDeliveries: async () => undefined } }),
  ]);
  runs = workers.map((worker) => worker.run());
});
afterAll(async () => {
  for (const worker of workers) worker.shutdown();
  await Promise.all(runs);
  await env.teardown();
});

const followed = { merchantId: randomUUID(), environment: 'sandbox' as const, amountCents: 2500 };

describe("a dispute's own clock", () => {
  /** Returns a dispute due in seven days, like its rows. Calls are recorded with the hours left. */
  const harness = async () => {
    const createdAtMs = await env.currentTimeMs();
    const row = {
      status: 'needsResponse' as DisputeStatus,
      createdAt: new Date(createdAtMs),
      reopenedAt: null,
      evidenceDueAt: new Date(createdAtMs + 7 * day),
      submittedAt: null as Date | null,
      reminded: [] as number[],
      autoSubmitted: false,
    };
    const calls: string[] = [];
    let nextCheck: Date | null = null;
    /** A read at the network waits for this. */
    let checksAfter: Promise<unknown> = Promise.resolve();
    const note = async (what: string): Promise<void> => {
      const hoursLeft = (row.evidenceDueAt.getTime() - (await env.currentTimeMs())) / hour;
      calls.push(`${what} ${Math.round(hoursLeft)}`);
    };
    provider = {
      refreshDispute: async (): Promise<DisputeFacts> => {
        await checksAfter;
        nextCheck = nextDisputeCheck(row, new Date(await env.currentTimeMs()));
        return {
          status: row.status,
          paymentStatus: 'disputed',
          createdAtMs,
          evidenceDueAtMs: row.evidenceDueAt.getTime(),
          submittedAtMs: row.submittedAt?.getTime() ?? null,
          reminded: row.reminded,
          autoSubmitted: row.autoSubmitted,
        };
      },
      remindOfEvidence: async ({ hours }) => {
        await note(`remind ${hours} at`);
        row.reminded.push(hours);
      },
      submitEvidence: async ({ automatic }) => {
        await note(automatic ? 'submit by itself at' : 'submit at');
        row.autoSubmitted ||= automatic;
        row.submittedAt = new Date(await env.currentTimeMs());
        row.status = 'underReview';
        return { refused: null };
      },
      acceptDispute: async () => {
        await note('accept at');
        return { refused: null };
      },
    };
    // This client skips no time by itself; waiting for a result would let the test server skip years.
    const { workflow } = new Client({ connection: env.connection });
    const start = disputeStart({ ...followed, id: randomUUID(), reference: 'dp_test', connectorId: null });
    const begin = () => workflow.start('disputeWorkflow', { ...start, taskQueue: `${prefix}payments` });
    /** Waits until a run has ended, in steps of seconds when it waits for a time. */
    const ended = async (handle: WorkflowHandle): Promise<void> => {
      while ((await handle.describe()).status.name === 'RUNNING') await env.sleep('2 seconds');
      await handle.result();
    };
    let runsMade = 0;
    /** Starts a run whenever the rows need one, as the sweep does, until `over`. */
    const followUntil = async (over: () => boolean): Promise<WorkflowHandle> => {
      for (;;) {
        const handle = await begin();
        runsMade += 1;
        await ended(handle);
        if (over() || nextCheck === null) return handle;
        await env.sleep(Math.max(1, nextCheck.getTime() - (await env.currentTimeMs())));
      }
    };
    /** Starts a run with an answer to the dispute. */
    const answer = async (what: 'submit' | 'accept'): Promise<string> => {
      let letRead = (): void => undefined;
      checksAfter = new Promise<void>((resolve) => {
        letRead = resolve;
      });
      const handle = await begin();
      const update = await handle.startUpdate('answerDispute', {
        args: [{ answer: what }],
        waitForStage: 'ACCEPTED',
      });
      letRead();
      const refused = await refusalOf(update.result());
      await ended(handle);
      if (what === 'submit') await keepHistory('dispute-answered', handle);
      return refused;
    };
    return { row, calls, followUntil, answer, runsMade: () => runsMade };
  };

  it('reminds 72, 24 and 6 hours before the deadline and submits staged evidence 1 hour before', async () => {
    const { row, calls, followUntil, runsMade } = await harness();
    const last = await followUntil(() => row.status === 'underReview');
    expect(calls).toEqual(['remind 72 at 72', 'remind 24 at 24', 'remind 6 at 6', 'submit by itself at 1']);
    // The deadlines, and ever rarer checks of a waiting dispute: no run stays open for days.
    expect(runsMade()).toBeLessThan(20);
    await keepHistory('dispute-agenda', last);
  });

  it('sends no reminder and submits nothing after an answer; a second answer is refused', async () => {
    const { row, calls, followUntil, answer } = await harness();
    expect(await answer('submit')).toBe('accepted');
    expect(await answer('submit')).toBe('evidence_already_submitted');
    expect(await answer('accept')).toBe('evidence_already_submitted');
    // Time passes beyond every deadline of the dispute.
    let checks = 0;
    await followUntil(() => (checks += 1) > 12);
    expect(await env.currentTimeMs()).toBeGreaterThan(row.evidenceDueAt.getTime());
    expect(calls).toEqual(['submit at 168']);
    row.status = 'won';
    await keepHistory('dispute-closed', await followUntil(() => true));
  });
});

describe("a refund's own clock", () => {
  const harness = async (submitInMs: number, statusAt: (call: number) => RefundStatus) => {
    const startedAtMs = await env.currentTimeMs();
    const calls: number[] = [];
    provider = {
      followRefund: async () => {
        const ageMs = (await env.currentTimeMs()) - startedAtMs;
        calls.push(ageMs);
        const status = statusAt(calls.length);
        const submittedAt = new Date(startedAtMs);
        const now = new Date(startedAtMs + ageMs);
        const next = nextRefundCheck(
          { status, submitAfter: submittedAt, submittedAt, succeededAt: null },
          now,
        );
        return { status, paymentStatus: 'paid', nextLookInMs: next && next.getTime() - now.getTime() };
      },
    };
    const start = refundStart({ ...followed, id: randomUUID(), submitAfterMs: startedAtMs + submitInMs }, []);
    const handle = await env.client.workflow.start('refundWorkflow', {
      ...start,
      taskQueue: `${prefix}payments`,
    });
    return { handle, calls };
  };

  it('queries the network until it has decided, less often the older the refund is, and then ends', async () => {
    const { handle, calls } = await harness(0, (call) => (call <= 20 ? 'pending' : 'succeeded'));
    expect(await handle.result()).toEqual({ status: 'succeeded' });
    expect(calls).toHaveLength(21);
    expect(calls[2]).toBeLessThan(30_000);
    const waits = calls.slice(1).map((at, index) => at - (calls[index] ?? 0));
    expect(Math.max(...waits)).toBeLessThan(day + hour);
    expect(waits.at(-1)).toBeGreaterThan(12 * hour);
    await keepHistory('refund-pending-for-days', handle);
  });

  it('keeps no workflow open for a refund that succeeded', async () => {
    const { handle, calls } = await harness(0, () => 'succeeded');
    expect(await handle.result()).toEqual({ status: 'succeeded' });
    expect(calls).toHaveLength(1);
    await keepHistory('refund-succeeded', handle);
  });

  it('submits nothing while the refund may be canceled, unless asked to', async () => {
    const { handle, calls } = await harness(2 * hour, () => 'canceled');
    await env.sleep('1 hour');
    expect(calls).toEqual([]);
    await handle.signal(refundChangedSignal, { submitNow: true, eventIds: [] });
    expect(await handle.result()).toEqual({ status: 'canceled' });
    expect(calls).toHaveLength(1);
    await keepHistory('refund-canceled', handle);
  });
});
