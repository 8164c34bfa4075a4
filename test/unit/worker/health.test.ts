import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { type WorkerHealth, serveWorkerHealth } from '../../../src/worker/health.ts';
import { databaseOf, partial } from '../../support/partial.ts';

/** What the three dependencies are like now. */
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
    workersRun: () => state.worker === 'RUNNING',
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
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

it('has no other route', async () => {
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
});
