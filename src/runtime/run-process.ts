import closeWithGrace from 'close-with-grace';
import { explainStart } from './explain-start.ts';
import { mistypedSetting } from './mistyped-settings.ts';
import { SettingsError } from './settings.ts';
import { safeError } from './logger.ts';

/**
 * Longest wait for a process to finish its work, in ms: longer than the longest request. A pay waits 20 s for
 * its workflow and then for the database, which cancels the attempt. The process's supervisor must wait even
 * longer (docs/operations.md).
 */
export const stopDelayMs = 40_000;

/** A started process. `drainMs`: how long `drain` may take, in addition to the time to stop. */
interface RunningProcess {
  stop: () => Promise<void>;
  /** Continues to serve for a while, until no more requests are sent to the process. */
  drain?: () => Promise<void>;
  drainMs?: number;
}

/**
 * Runs one process of the service: starts it, notifies a supervising parent that it is ready, and stops it
 * once on SIGINT, SIGTERM, a fault, or when the parent is gone. SIGTERM drains it first. A wrong setting is
 * reported in one line on stderr, with exit code 1.
 */
export async function runProcess(
  environment: Readonly<Record<string, string | undefined>>,
  start: () => Promise<RunningProcess>,
): Promise<void> {
  let running: RunningProcess;
  try {
    const mistyped = mistypedSetting(environment);
    if (mistyped !== null) throw new SettingsError(mistyped);
    running = await start();
  } catch (error) {
    const message = error instanceof SettingsError ? error.message : explainStart(error, environment);
    process.stderr.write(`${message}\n`);
    process.exit(1);
  }
  const delay = stopDelayMs + (running.drainMs ?? 0);
  const grace = closeWithGrace({ delay, logger: false }, async ({ err, signal }) => {
    if (err) process.stderr.write(`${JSON.stringify({ level: 'fatal', err: safeError(err) })}\n`);
    if (signal === 'SIGTERM') await running.drain?.();
    await running.stop();
  });
  if (process.send) {
    process.on('disconnect', () => grace.close());
    process.send({ type: 'ready' });
  }
}
