/** Stops what global-setup.js started and removes its directory, whose absence says that nothing is left. */
import { rmSync } from 'node:fs';

export default async function globalTeardown() {
  const { testStack } = globalThis;
  if (testStack === undefined) return;
  await testStack.stop();
  rmSync(testStack.directory, { recursive: true, force: true });
  await testStack.watchdog.close();
}
