/**
 * Stops what the launcher started when the launcher itself is gone (`kill -9`, a crash): PostgreSQL and
 * Temporal would otherwise run on for ever. The launcher writes JSON lines to our stdin; its end without a
 * `bye` means the launcher died. Ignores signals, so that nothing that stops the stack can stop its last
 * guard first.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Stoppable, stopInOrder } from './stop-processes.ts';

export type WatchdogMessage =
  { guard: Stoppable } | { forget: number } | { removeWhenOrphaned: string } | { bye: true };

const guarded = new Map<number, Stoppable>();
const paths: string[] = [];

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const message: WatchdogMessage = JSON.parse(line);
  if ('guard' in message) guarded.set(message.guard.pid, message.guard);
  else if ('forget' in message) guarded.delete(message.forget);
  else if ('removeWhenOrphaned' in message) paths.push(message.removeWhenOrphaned);
  else process.exit(0);
}

removeFiles();
await stopInOrder([...guarded.values()]);
for (const path of paths) rmSync(path, { recursive: true, force: true });
process.exit(0);

/** A file that names a dead stack goes at once; a directory only when nobody works in it any more. */
function removeFiles(): void {
  for (const path of paths) {
    try {
      rmSync(path, { force: true });
    } catch {
      // A directory.
    }
  }
}
