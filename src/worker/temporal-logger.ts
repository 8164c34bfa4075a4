import { type LogMetadata, type Logger as TemporalLogger, type LogLevel } from '@temporalio/worker';
import type { Logger } from 'pino';

/** Fields of Temporal's own log lines that are references; everything else is left out. */
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

/** Sends Temporal's log lines to pino through the same allow-list of fields. */
export function createTemporalLogger(logger: Logger): TemporalLogger {
  const write = (
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error',
    message: string,
    meta?: LogMetadata,
  ): void => {
    const fields = Object.fromEntries(Object.entries(meta ?? {}).filter(([name]) => allowed.includes(name)));
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
