/** Stops what global-setup.js started and removes its directory, whose absence says that nothing is left. */
import { rmSync } from 'node:fs';
import { testStack } from './test-stack.js';

export default async function globalTeardown() {
  const { running } = testStack;
  if (running === null) return;
  await running.stop();
  rmSync(running.directory, { recursive: true, force: true });
  await running.watchdog.close();
}
