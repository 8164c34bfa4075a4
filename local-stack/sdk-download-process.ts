/**
 * `node sdk-download-process.js dev-server|time-skipping DIRECTORY`: lets the Temporal SDK download that
 * server into DIRECTORY.
 */
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [server, downloadDir] = process.argv.slice(2);
const executable = {
  type: 'cached-download',
  ...(downloadDir === undefined ? {} : { downloadDir }),
} as const;
const environment =
  server === 'time-skipping'
    ? await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })
    : await TestWorkflowEnvironment.createLocal({ server: { executable } });
await environment.teardown();
