/**
 * The floor's worker process: one workflow, one activity without work of its own, and one with the calls and
 * commits that every pay needs.
 */
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker, bundleWorkflowCode } from '@temporalio/worker';
import pg from 'pg';
import { request } from 'undici';
import { readSettings } from '../../../src/runtime/settings.ts';
import { floorQueue } from './protocol.ts';

const logger = new DefaultLogger('WARN');
Runtime.install({ logger, shutdownSignals: [] });
const bundle = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('./workflows.js', import.meta.url)),
  // Short stacks, as in the service's own bundle.
  preloadModules: [fileURLToPath(new URL('../../../src/workflows/stack-depth.js', import.meta.url))],
  logger,
});
const connection = await NativeConnection.connect({
  address: process.env['TEMPORAL_ADDRESS'] ?? '',
  // The setting of the service's own worker.
  grpcCompression: { codec: 'none' },
});
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
pool.on('error', () => {});

/** Calls another company, and reads its answer. */
async function ask(body: object): Promise<void> {
  const { body: answer } = await request(`http://127.0.0.1:${process.env['API_PORT']}/company`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answer.json();
}

/**
 * Claims the reservation before the provider is called, and commits the outcome before the caller is
 * answered.
 */
async function pay(id: string): Promise<string> {
  const { rowCount } = await pool.query({
    name: 'claim',
    text: 'UPDATE floor_intent SET sent_at = now() WHERE id = $1 AND sent_at IS NULL',
    values: [id],
  });
  if (rowCount !== 1) throw new Error('claimed before');
  await ask({ token: id });
  await ask({ charge: id, amountCents: 2500 });
  await pool.query({
    name: 'outcome',
    text: `WITH answered AS (UPDATE floor_intent SET answer = 'captured' WHERE id = $1 RETURNING id)
      UPDATE floor SET data = data || '{"status": "paid"}' WHERE id = (SELECT id FROM answered)`,
    values: [id],
  });
  return 'paid';
}

const worker = await Worker.create({
  connection,
  taskQueue: floorQueue,
  workflowBundle: bundle,
  activities: { echo: async (text: string) => text, pay },
  maxCachedWorkflows: 1_000,
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: readSettings(process.env).WORKFLOW_POLLS },
});
const end = (): void => worker.shutdown();
process.once('SIGTERM', end);
process.once('disconnect', end);
const running = worker.run();
process.send?.({ type: 'ready' });
await running;
await pool.end();
await connection.close();
process.exit(0);
