import { type Logger, pino } from 'pino';
import { safeError } from '../../src/runtime/logger.ts';

/**
 * Logs into `lines` at the most verbose level, as the processes do but with nothing redacted: code must not
 * even hand a secret to its logger.
 */
export function createTestLogger(lines: string[]): Logger {
  return pino(
    { level: 'trace', serializers: { err: safeError } },
    { write: (line) => void lines.push(line) },
  );
}
