import type { Client } from '@temporalio/client';
import type { Database } from '../../../src/db/server/database.ts';
import { type WorkerHealth, serveWorkerHealth } from '../../../src/worker/health.ts';

/** What the three dependencies are like now. */
const state = { database: true, temporal: true, worker: 'RUNNING' as 'RUNNING' | 'STOPPED' };

const orThrow = async (isThere: boolean): Promise<unknown> => {
  if (!isThere) throw new Error('away');
  return { rows: [{ answer: 1 }] };
};
const database = { query: async () => orThrow(state.database) } as unknown as Database;
const connection = {
  withDeadline: async (_until: number, call: () => Promise<unknown>) => call(),
  workflowService: { getSystemInfo: async () => orThrow(state.temporal) },
} as unknown as Client['connection'];

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
  ['PostgreSQL is away', { database: false }, 'database'],
  ['Temporal is away', { temporal: false }, 'temporal'],
  ['a queue is not served', { worker: 'STOPPED' as const }, 'workers'],
])('is not ready when %s, and lives on', async (_what, change, missing) => {
  Object.assign(state, change);
  const [status, found] = await ready();
  expect([status, found]).toEqual([503, { database: true, temporal: true, workers: true, [missing]: false }]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

it('has nothing else', async () => {
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
});
