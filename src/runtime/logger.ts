import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, type LoggerOptions, destination, pino } from 'pino';
import { withoutCardNumbers } from '../domain/card-number.ts';

const lineIds = new AsyncLocalStorage<object>();

/**
 * Runs `act`. The log lines that it writes contain `ids`, except where they set the same names themselves.
 */
export const withLineIds = <T>(ids: object, act: () => T): T => lineIds.run(ids, act);

/**
 * Returns the JSON logger of a process. Each call chooses what it logs from ids, codes, route templates and
 * durations; no level logs bodies, URLs or secrets. The paths below, and the search for card numbers, are
 * only the last safeguard. Errors are logged as `err`, as they were caught; the serializer leaves out
 * everything that may quote data.
 */
export function createLogger(name: string, level: string, to?: DestinationStream): Logger {
  const options: LoggerOptions = {
    name,
    level,
    base: { name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => lineIds.getStore() ?? {},
    redact: {
      paths: [
        'authorization',
        '*.authorization',
        'cardToken',
        'walletToken',
        '*.cardToken',
        '*.walletToken',
        'secret',
        '*.secret',
        'token',
        '*.token',
      ],
      censor: '[redacted]',
    },
    serializers: { err: safeError },
    hooks: { streamWrite: redactedLine },
  };
  // Written in the background; the remaining lines are written when the process ends.
  return pino(options, to ?? destination({ fd: 1, sync: false }));
}

/**
 * Returns a JSON line without card numbers. It stays valid JSON: a number in the line becomes another number.
 */
function redactedLine(line: string): string {
  const redacted = withoutCardNumbers(line, '[card number]');
  if (redacted === line) return line;
  try {
    JSON.parse(redacted);
    return redacted;
  } catch {
    return withoutCardNumbers(line, '0');
  }
}

/**
 * Returns the name, code and stack frames of an error. Messages of foreign errors may quote input and are
 * left out.
 */
export function safeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, routine } = error as { code?: unknown; constraint?: unknown; routine?: unknown };
  return {
    type: error.name,
    // The code is a word from Node.js or PostgreSQL, or a number from gRPC.
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    // The place where PostgreSQL refused. Its messages and details may quote values and are left out.
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(typeof routine === 'string' ? { routine } : {}),
    frames: framesOf(error),
    ...(error.cause instanceof Error ? { cause: safeError(error.cause) } : {}),
  };
}

/**
 * Returns the first frames of an error's stack, without its message, because a line of the message could look
 * like a frame.
 */
function framesOf({ stack = '', message }: Error): string[] {
  const at = stack.indexOf(message);
  return (at === -1 ? stack : stack.slice(at + message.length))
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .slice(0, 8)
    .map((line) => line.trim());
}
