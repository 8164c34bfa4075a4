import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { DisputeActivities, DisputeFacts } from '../../../src/activities/disputes.ts';
import type { RefundActivities } from '../../../src/activities/refunds.ts';
import type { RefundStatus } from '../../../src/domain/refund.ts';
import { failureConverter } from '../../../src/temporal/failure-converter.ts';
import { refundChangedSignal } from '../../../src/temporal/contract/refund.ts';
import { disputeStart, refundStart } from '../../../src/temporal/contract/start-refund-or-dispute.ts';
import { refusalOf, startTimeSkipping } from '../../support/payment-harness.ts';

const hour = 3_600_000;
const day = 24 * hour;

let env: TestWorkflowEnvironment;
let workers: Worker[];
let runs: Promise<void>[];
/** The fakes of the test that runs; the tests of this file follow each other, as the server's time is one. */
let provider: Partial<DisputeActivities & RefundActivities> = {};

const prefix = `${randomUUID()}-`;
const names = [
  'refreshDispute',
  'remindOfEvidence',
  'submitEvidence',
  'acceptDispute',
  'followRefund',
] as const;

/** One set of workers for all tests: making them takes longer than the tests do. */
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

/** UPDATE_HISTORIES=1 keeps the history for test/histories/replay.stack.test.ts. */
async function keepHistory(name: string, handle: WorkflowHandle): Promise<void> {
  if (process.env['UPDATE_HISTORIES'] !== '1') return;
  const directory = new URL('../../histories/', import.meta.url);
  await mkdir(directory, { recursive: true });
  const { History } = proto.temporal.api.history.v1;
  const history = History.toObject(History.fromObject(await handle.fetchHistory()), {
    enums: String,
    longs: String,
    bytes: String,
  });
  await writeFile(new URL(`${name}.json`, directory), `${JSON.stringify(history)}\n`);
}

describe("a dispute's own clock", () => {
  /**
   * A dispute due in seven days; calls are noted with the hours left. Closed once `closesAfter` calls were
   * made.
   */
  const harness = async (closesAfter: (calls: string[]) => boolean) => {
    const createdAtMs = await env.currentTimeMs();
    const evidenceDueAtMs = createdAtMs + 7 * day;
    const calls: string[] = [];
    let submitted = false;
    const note = async (what: string): Promise<void> => {
      const hoursLeft = (evidenceDueAtMs - (await env.currentTimeMs())) / hour;
      calls.push(`${what} ${Math.round(hoursLeft)}`);
    };
    const facts = (): DisputeFacts => ({
      closed: closesAfter(calls),
      submitted,
      createdAtMs,
      evidenceDueAtMs,
      eventIds: [],
    });
    provider = {
      refreshDispute: async () => facts(),
      remindOfEvidence: async ({ hours }) => {
        await note(`remind ${hours} at`);
        return { eventIds: [] };
      },
      submitEvidence: async ({ automatic }) => {
        await note(automatic ? 'submit by itself at' : 'submit at');
        submitted = true;
        return { refused: null, eventIds: [] };
      },
      acceptDispute: async () => {
        await note('accept at');
        return { refused: null, eventIds: [] };
      },
    };
    const { workflow: client } = env.client;
    const start = disputeStart({ ...followed, id: randomUUID(), reference: 'dp_test' });
    const handle = await client.start('disputeWorkflow', { ...start, taskQueue: `${prefix}payments` });
    const answer = (what: 'submit' | 'accept'): Promise<string> =>
      refusalOf(handle.executeUpdate('answerDispute', { args: [{ answer: what }] }));
    return { handle, calls, answer };
  };

  it('reminds 72, 24 and 6 hours before the deadline and submits what is staged 1 hour before', async () => {
    const { handle, calls } = await harness((made) => made.some((call) => call.startsWith('submit')));
    await handle.result();
    expect(calls).toEqual(['remind 72 at 72', 'remind 24 at 24', 'remind 6 at 6', 'submit by itself at 1']);
    await keepHistory('dispute-agenda', handle);
  });

  it('after an answer nothing reminds and nothing is submitted again; a second answer is refused', async () => {
    let closed = false;
    const { handle, calls, answer } = await harness(() => closed);
    expect(await answer('submit')).toBe('accepted');
    expect(await answer('submit')).toBe('evidence_already_submitted');
    expect(await answer('accept')).toBe('evidence_already_submitted');
    await env.sleep('8 days');
    closed = true;
    await handle.result();
    expect(calls).toEqual(['submit at 168']);
    await keepHistory('dispute-answered', handle);
  });
});

describe("a refund's own clock", () => {
  const harness = async (submitInMs: number, statusAt: (call: number) => RefundStatus) => {
    const startedAtMs = await env.currentTimeMs();
    const calls: number[] = [];
    provider = {
      followRefund: async () => {
        calls.push((await env.currentTimeMs()) - startedAtMs);
        return { status: statusAt(calls.length), eventIds: [] };
      },
    };
    const start = refundStart(
      {
        ...followed,
        id: randomUUID(),
        submitAfterMs: startedAtMs + submitInMs,
      },
      [],
    );
    const handle = await env.client.workflow.start('refundWorkflow', {
      ...start,
      taskQueue: `${prefix}payments`,
    });
    return { handle, calls };
  };

  it('a late failure that no callback told is found weeks later', async () => {
    const { handle, calls } = await harness(0, (call) =>
      call <= 3 ? 'pending' : call <= 9 ? 'succeeded' : 'failed',
    );
    expect(await handle.result()).toEqual({ status: 'failed' });
    expect(calls).toHaveLength(10);
    expect(calls.at(-1)).toBeGreaterThan(7 * day);
    await keepHistory('refund-fails-late', handle);
  });

  it('a refund that stands for weeks is followed no longer', async () => {
    const { handle, calls } = await harness(0, () => 'succeeded');
    expect(await handle.result()).toEqual({ status: 'succeeded' });
    expect(calls.at(-1)).toBeGreaterThan(30 * day);
    await keepHistory('refund-stands', handle);
  });

  it('nothing is submitted while it may be canceled, unless it is asked for', async () => {
    const { handle, calls } = await harness(2 * hour, () => 'canceled');
    await env.sleep('1 hour');
    expect(calls).toEqual([]);
    await handle.signal(refundChangedSignal, { submitNow: true, eventIds: [] });
    expect(await handle.result()).toEqual({ status: 'canceled' });
    expect(calls).toHaveLength(1);
    await keepHistory('refund-canceled', handle);
  });
});
