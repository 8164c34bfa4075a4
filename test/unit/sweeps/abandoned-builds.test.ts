import { createAbandonedBuildSweep } from '../../../src/sweeps/sweep-abandoned-builds.ts';
import type { BuildVersion, Deployments, PollingWorker } from '../../../src/temporal/clients/deployments.ts';
import { queueNames } from '../../../src/temporal/contract/ids.ts';

const version = (buildId: string, status: BuildVersion['status'], createdAtMs: number): BuildVersion => ({
  buildId,
  status,
  createdAtMs,
  lastCurrentAtMs: createdAtMs,
});
const polling = (buildId: string, queues: readonly PollingWorker['queue'][] = queueNames): PollingWorker[] =>
  queues.map((queue) => ({ identity: `1@${buildId}`, buildId, queue }));
const run = (workflowId: string) => ({ workflowId, runId: 'r', type: 'paymentWorkflow' });

/** Runs a turn of the sweep on a deployment. Returns its changes. */
async function turn(own: {
  current: string | null;
  versions: BuildVersion[];
  workers: PollingWorker[];
  pinned?: Record<string, string[]>;
  failing?: string;
}) {
  const moved: string[] = [];
  const promoted: string[] = [];
  const alerts: unknown[] = [];
  const deployments: Partial<Deployments> = {
    read: async () => ({
      deployment: 'card-payments',
      current: own.current,
      ramping: null,
      versions: own.versions,
      token: new Uint8Array(),
    }),
    workers: async () => own.workers,
    listPinned: async (buildId) => (own.pinned?.[buildId] ?? []).map(run),
    move: async ({ workflowId }) => {
      if (workflowId === own.failing) throw new Error('not now');
      moved.push(workflowId);
    },
    setCurrent: async (_state, buildId) => void promoted.push(buildId),
  };
  const database = {
    query: async (text: string, values: unknown[]) => {
      if (text.includes('INSERT')) alerts.push(values);
      return { rows: [] };
    },
  };
  const sweep = createAbandonedBuildSweep({
    database: database as never,
    deployments: deployments as Deployments,
    logger: { warn: () => undefined },
  });
  await sweep.run(() => true);
  return { moved, promoted, alerts };
}

const [a, b] = [version('a', 'draining', 1), version('b', 'current', 2)];

it('moves the pinned runs of a build whose workers are gone, and leaves those of a build that has some', async () => {
  const pinned = { a: ['payment-1', 'payment-2'], b: ['payment-3'] };
  const gone = await turn({ current: 'b', versions: [b, a], workers: polling('b'), pinned });
  expect(gone).toEqual({
    moved: ['payment-1', 'payment-2'],
    promoted: [],
    alerts: [['abandoned builds', 'a', 'moved']],
  });
  const there = [...polling('b'), ...polling('a', ['payments'])];
  expect((await turn({ current: 'b', versions: [b, a], workers: there, pinned })).moved).toEqual([]);
});

it('moves the other runs when one cannot be moved', async () => {
  const pinned = { a: ['payment-1', 'payment-2'] };
  const { moved } = await turn({
    current: 'b',
    versions: [b, a],
    workers: polling('b'),
    pinned,
    failing: 'payment-1',
  });
  expect(moved).toEqual(['payment-2']);
});

it('promotes the newest build that polls every queue when the workers of the current one are gone', async () => {
  const versions = [version('c', 'inactive', 3), b, a];
  const workers = [...polling('a'), ...polling('c', ['payments'])];
  const pinned = { b: ['payment-3'] };
  const { promoted, moved, alerts } = await turn({ current: 'b', versions, workers, pinned });
  expect(promoted).toEqual(['a']);
  expect(moved).toEqual(['payment-3']);
  expect(alerts).toEqual([
    ['abandoned builds', 'b', 'current'],
    ['abandoned builds', 'b', 'moved'],
  ]);
});

it('moves nothing when the current build has no workers and no other build can be current', async () => {
  const pinned = { a: ['payment-1'] };
  const { promoted, moved } = await turn({ current: 'b', versions: [b, a], workers: [], pinned });
  expect([promoted, moved]).toEqual([[], []]);
});
