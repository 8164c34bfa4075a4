import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, type LoggerOptions, destination, pino } from 'pino';
import { withoutCardNumbers } from '../domain/card-number.ts';

const lineIds = new AsyncLocalStorage<object>();

/** Runs `act`; the log lines that it writes carry `ids`, where they have none of these names themselves. */
export const withLineIds = <T>(ids: object, act: () => T): T => lineIds.run(ids, act);

/**
 * The JSON logger of a process. What reaches a log is chosen at each call from ids, codes, route templates
 * and durations; no level logs bodies, URLs or secrets. The paths below, and the search for card numbers, are
 * only the last safeguard. Errors are logged as `err`, as they were caught: the serializer
 * leaves out what they may quote.
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
  // Written in the background; the rest is written when the process ends.
  return pino(options, to ?? destination({ fd: 1, sync: false }));
}

/** A JSON line without card numbers, and still JSON: a number of the line becomes another number. */
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

/** Name, code and stack frames of an error; messages of foreign errors may quote input and are left out. */
export function safeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, routine } = error as { code?: unknown; constraint?: unknown; routine?: unknown };
  return {
    type: error.name,
    // A word of Node.js or PostgreSQL, a number of gRPC.
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    // Where PostgreSQL refused; its messages and details may quote values.
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(typeof routine === 'string' ? { routine } : {}),
    frames: framesOf(error),
    ...(error.cause instanceof Error ? { cause: safeError(error.cause) } : {}),
  };
}

/**
 * Returns the first frames of an error's stack, without its message, of which a line could look like a frame.
 */
function framesOf({ stack = '', message }: Error): string[] {
  const at = stack.indexOf(message);
  return (at === -1 ? stack : stack.slice(at + message.length))
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .slice(0, 8)
    .map((line) => line.trim());
}
