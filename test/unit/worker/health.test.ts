import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { type WorkerHealth, serveWorkerHealth } from '../../../src/worker/health.ts';
import { createMetricsPage } from '../../../src/metrics/page.ts';
import { databaseOf, partial } from '../../support/partial.ts';

/** The current state of the three dependencies. */
const state = { database: true, temporal: true, worker: 'RUNNING' as 'RUNNING' | 'STOPPED' };

const orThrow = async (isThere: boolean): Promise<{ rows: unknown[] }> => {
  if (!isThere) throw new Error('away');
  return { rows: [{ answer: 1 }] };
};
const database = databaseOf(async () => orThrow(state.database));
const connection = partial<Client['connection']>({
  withDeadline: async (_until, call) => call(),
  workflowService: partial<Client['connection']['workflowService']>({
    getSystemInfo: async () => {
      await orThrow(state.temporal);
      return proto.temporal.api.workflowservice.v1.GetSystemInfoResponse.create();
    },
  }),
});

let health: WorkerHealth;
let url: string;
beforeAll(async () => {
  health = await serveWorkerHealth({
    host: '127.0.0.1',
    port: 0,
    database,
    client: { connection },
    hold: { begun: false },
    workersRun: () => state.worker === 'RUNNING',
    failedWorkflowTasks: () => 3,
    metrics: createMetricsPage({}),
  });
  url = `http://127.0.0.1:${health.port}`;
});
afterAll(() => health.close());
beforeEach(() => Object.assign(state, { database: true, temporal: true, worker: 'RUNNING' }));

const ready = async (): Promise<[number, unknown]> => {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, await answer.json()];
};

it('is ready while PostgreSQL, Temporal and the queues are', async () => {
  expect(await ready()).toEqual([200, { database: true, temporal: true, workers: true }]);
});

it.each([
  ['PostgreSQL is unavailable', { database: false }, 'database'],
  ['Temporal is unavailable', { temporal: false }, 'temporal'],
  ['a queue is not served', { worker: 'STOPPED' as const }, 'workers'],
])('is not ready when %s, and keeps running', async (_what, change, missing) => {
  Object.assign(state, change);
  const [status, found] = await ready();
  expect([status, found]).toEqual([503, { database: true, temporal: true, workers: true, [missing]: false }]);
  const alive = await fetch(`${url}/healthz`);
  expect([alive.status, await alive.json()]).toEqual([200, { ok: true, failedWorkflowTasks: 3 }]);
});

it('serves its metrics, whatever its dependencies are like', async () => {
  Object.assign(state, { database: false, temporal: false });
  const answer = await fetch(`${url}/metrics`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  expect(await answer.text()).toMatch(/^process_cpu_seconds_total /mu);
});

it('has no other route', async () => {
  expect((await fetch(`${url}/codec/decode`)).status).toBe(404);
});
