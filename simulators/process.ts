import type { Log } from './server.ts';

const STOP_DEADLINE_MS = 3_000;

/** A wrong or missing setting: the message names the variable and what to do. */
export class SettingsError extends Error {}

/** The parts of a running simulator that `runProcess` needs. */
interface Running {
  url: string;
  close(): Promise<void>;
}

/** Writes one JSON line per event to stdout. */
export function stdoutLog(simulator: string): Log {
  return (event, fields = {}) => {
    process.stdout.write(
      `${JSON.stringify({ time: new Date().toISOString(), simulator, event, ...fields })}\n`,
    );
  };
}

/**
 * Runs a simulator process: starts it, notifies the parent that it is ready, and closes it within 3 s on
 * SIGTERM, on SIGINT, or when the parent on the IPC channel is gone. A failed start is one line on stderr and
 * exit 1.
 */
export async function runProcess(log: Log, start: () => Promise<Running>): Promise<void> {
  const hasParent = process.connected;
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    process.stderr.write(`${startProblem(error)}\n`);
    process.exit(1);
  }
  let stopping = false;
  const stop = (reason: string): void => {
    if (stopping) return;
    stopping = true;
    log('stopping', { reason });
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    running.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', () => stop('SIGTERM'));
  process.once('SIGINT', () => stop('SIGINT'));
  process.once('disconnect', () => stop('disconnect'));
  log('ready', { url: running.url });
  // A parent that ended during the start no longer emits 'disconnect'.
  if (hasParent && !process.connected) stop('disconnect');
  else process.send?.({ type: 'ready' });
}

/**
 * Ends the process at once: memory is ahead of the disk, and no answer may report it. A supervisor starts the
 * process again.
 */
export function dieOnBrokenJournal(reason: Error): void {
  const cause = reason.cause instanceof Error ? reason.cause.message : 'unknown';
  process.stderr.write(
    `The data directory cannot be written (${cause}): free space or repair it, then start again.\n`,
  );
  process.exit(1);
}

/** The `code` of a system error, or null. */
export function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

function startProblem(error: unknown): string {
  const code = errorCode(error);
  if (code === 'EADDRINUSE') return 'The port is busy: stop the other process or choose another port.';
  if (code !== null) return `The data directory or the port cannot be used (${code}): choose another one.`;
  if (!(error instanceof Error)) return 'The simulator could not start.';
  return error.message.split('\n', 1)[0] ?? error.name;
}
