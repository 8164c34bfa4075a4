/**
 * Stops the launcher's processes when the launcher itself has died (`kill -9`, a crash), because PostgreSQL
 * and Temporal would otherwise run on. The launcher writes JSON lines to stdin; end of input without a `bye`
 * means that it died. The watchdog ignores signals, so that a signal to the whole stack does not end it
 * first.
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

/**
 * Removes files at once, because they describe a dead stack. Directories are removed when their processes
 * end.
 */
function removeFiles(): void {
  for (const path of paths) {
    try {
      rmSync(path, { force: true });
    } catch {
      // The path is a directory.
    }
  }
}
