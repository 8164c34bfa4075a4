import { type LogMetadata, type Logger as TemporalLogger, type LogLevel } from '@temporalio/worker';
import type { Logger } from 'pino';
import { paymentIdOf } from '../temporal/contract/ids.ts';

/** Fields of Temporal's own log lines that are references; all others are left out. */
const allowed = [
  'workflowId',
  'workflowType',
  'activityType',
  'attempt',
  'taskQueue',
  'sdkComponent',
  'attemptNo',
  'pass',
];

/** A workflow task that failed. `code`: the SDK's rule that was broken, or `unknown`. */
export interface FailedTask {
  runId: string;
  code: string;
}

/** The line with which the SDK's core reports that a workflow task fails. */
const failingTask = 'Failing workflow task';

/**
 * Returns a logger that sends Temporal's log lines to pino, with the allowed fields only. `onFailedTask` is
 * called for each workflow task that fails; its line is an error with the run and the rule, without the text
 * of the failure.
 */
export function createTemporalLogger(
  logger: Logger,
  onFailedTask: (task: FailedTask) => void = () => undefined,
): TemporalLogger {
  const write = (
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error',
    message: string,
    meta?: LogMetadata,
  ): void => {
    if (message === failingTask) {
      const { runId, failure } = meta ?? {};
      const [code = 'unknown'] = /TMPRL\d+/.exec(String(failure)) ?? [];
      const task = { runId: String(runId), code };
      logger.error(task, 'a workflow task failed: its run is replaced if the task fails again');
      return onFailedTask(task);
    }
    const fields = Object.fromEntries(Object.entries(meta ?? {}).filter(([name]) => allowed.includes(name)));
    const paymentId = paymentIdOf(String(meta?.['workflowId'] ?? ''));
    if (paymentId !== null) fields['paymentId'] = paymentId;
    const error: unknown = meta?.['error'];
    logger[level]({ ...fields, ...(error === undefined ? {} : { err: error }) }, message);
  };
  return {
    log: (level: LogLevel, message: string, meta?: LogMetadata) =>
      write(level.toLowerCase() as 'trace' | 'debug' | 'info' | 'warn' | 'error', message, meta),
    trace: (message, meta) => write('trace', message, meta),
    debug: (message, meta) => write('debug', message, meta),
    info: (message, meta) => write('info', message, meta),
    warn: (message, meta) => write('warn', message, meta),
    error: (message, meta) => write('error', message, meta),
  };
}
