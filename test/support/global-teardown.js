/** Stops the servers of global-setup.js and removes their directory, whose absence shows that they ended. */
import { rmSync } from 'node:fs';
import { testStack } from './test-stack.js';

export default async function globalTeardown() {
  const { running } = testStack;
  if (running === null) return;
  await running.stop();
  // A process that is just ending may still write, so the removal is retried.
  rmSync(running.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  await running.watchdog.close();
}
