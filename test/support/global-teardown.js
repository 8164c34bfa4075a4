/** Stops what global-setup.js started and removes its directory, whose absence says that nothing is left. */
import { rmSync } from 'node:fs';
import { testStack } from './test-stack.js';

export default async function globalTeardown() {
  const { running } = testStack;
  if (running === null) return;
  await running.stop();
  // What a process that is just ending still writes is in the way for a moment.
  rmSync(running.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  await running.watchdog.close();
}
