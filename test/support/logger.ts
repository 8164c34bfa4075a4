import { type Logger, pino } from 'pino';
import { safeError } from '../../src/runtime/logger.ts';

/**
 * Logs into `lines` at the most verbose level, like the processes but without redaction. Code must not pass a
 * secret to its logger at all.
 */
export function createTestLogger(lines: string[]): Logger {
  return pino(
    { level: 'trace', serializers: { err: safeError } },
    { write: (line) => void lines.push(line) },
  );
}
