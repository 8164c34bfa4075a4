/**
 * `seed-process.js ORDER`, with a `SeedOrder` as JSON: plays one seed and sends its `SeedResult` to the
 * process that started this one (seed-processes.ts). It ends with that process.
 */
import { fstatSync, readSync } from 'node:fs';
import { simulateGlobals } from './globals.ts';
import { withOneCommandMore } from './other-build.ts';
import { pgliteBackend } from './pglite.ts';
import { type SeedOptions, playSeed } from './play-seed.ts';
import { Scheduler } from './scheduler.ts';
import { type SeedOrder, templateDescriptor } from './seed-processes.ts';
import { backendOf } from './server-backend.ts';
import { createWorkflowCreator } from './temporal/creator.ts';
import { bundlePath, otherBundlePath } from './world.ts';

const { server, without, until, withStory, ...order } = JSON.parse(process.argv[2] ?? '') as SeedOrder;
process.once('disconnect', () => process.exit());

const backend = server === null ? pgliteBackend(new Blob([readTemplate()])) : backendOf(server);
const result = await playSeed({
  ...order,
  ...(until === null ? {} : { until }),
  without: new Set(without),
  backend,
  builds: await simulatedBuilds(),
});
await backend.close();
const { user, system } = process.cpuUsage();
const cpuSeconds = (user + system) / 1e6;
const { story } = result;
if (process.connected) process.send?.({ ...result, story: withStory ? story : [], logged: [], cpuSeconds });

/** Returns the bytes of the template, from the start also when other processes have read it. */
function readTemplate(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fstatSync(templateDescriptor).size);
  readSync(templateDescriptor, bytes, 0, bytes.length, 0);
  return bytes;
}

async function simulatedBuilds(): Promise<SeedOptions['builds']> {
  const scheduler = new Scheduler(0);
  const putBack = simulateGlobals(() => scheduler, 0);
  try {
    return new Map([
      [bundlePath, await createWorkflowCreator(bundlePath)],
      [otherBundlePath, await createWorkflowCreator(bundlePath, withOneCommandMore)],
    ]);
  } finally {
    putBack();
  }
}
