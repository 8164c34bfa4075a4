/** The floor's worker process: one workflow and one activity that do nothing of their own. */
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker, bundleWorkflowCode } from '@temporalio/worker';
import { floorQueue } from './protocol.ts';

const logger = new DefaultLogger('WARN');
Runtime.install({ logger, shutdownSignals: [] });
const bundle = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('./workflows.js', import.meta.url)),
  logger,
});
const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
const worker = await Worker.create({
  connection,
  taskQueue: floorQueue,
  workflowBundle: bundle,
  activities: { echo: async (text: string) => text },
  maxCachedWorkflows: 1_000,
});
const end = (): void => worker.shutdown();
process.once('SIGTERM', end);
process.once('disconnect', end);
const running = worker.run();
process.send?.({ type: 'ready' });
await running;
await connection.close();
process.exit(0);
