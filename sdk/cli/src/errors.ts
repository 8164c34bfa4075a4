import { CommanderError } from 'commander';
import {
  APIConnectionError,
  APIError,
  AuthenticationError,
  ConfigurationError,
  PermissionError,
  ServiceUnavailableError,
  ValidationError,
} from '../../typescript/src/index.ts';

/** The exit codes of the command. docs/cli.md. */
export const exitCodes = { done: 0, refused: 1, misused: 2, unreached: 3 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A failure in one line that names the fix. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the error of flags or arguments that cannot be used. */
export const misused = (message: string): CliError => new CliError(message, exitCodes.misused);

/** Returns the error of a call that was refused. */
export const refused = (message: string): CliError => new CliError(message, exitCodes.refused);

/** Returns a failure as one line without any key or secret, and the exit code. */
export function describeFailure(error: unknown): { line: string; exitCode: ExitCode } {
  const { text, exitCode } = textOf(error);
  return { line: withoutSecrets(text.replaceAll(/\s+/g, ' ').trim()), exitCode };
}

function textOf(error: unknown): { text: string; exitCode: ExitCode } {
  if (error instanceof CliError) return { text: error.message, exitCode: error.exitCode };
  if (error instanceof CommanderError) {
    const fault = error.message.replace(/^error: /, '').replace(/\.$/, '');
    return { text: `${fault}. See card-payments --help.`, exitCode: exitCodes.misused };
  }
  if (error instanceof ConfigurationError) return { text: error.message, exitCode: exitCodes.misused };
  if (error instanceof APIError) return textOfRefusal(error);
  if (error instanceof APIConnectionError) {
    const advice = 'Check the address (--base-url or CARD_PAYMENTS_URL) and that the service runs.';
    return { text: `The service was not reached. ${error.message} ${advice}`, exitCode: exitCodes.unreached };
  }
  return { text: error instanceof Error ? error.message : 'failed', exitCode: exitCodes.refused };
}

function textOfRefusal(error: APIError): { text: string; exitCode: ExitCode } {
  const { message, code, requestId } = error;
  const id = requestId === null ? '' : ` (${code}, request ${requestId})`;
  // An argument that failed this check was never sent.
  if (error instanceof ValidationError && requestId === null) {
    return { text: message, exitCode: exitCodes.misused };
  }
  if (error instanceof ServiceUnavailableError) {
    return { text: `${message} Try again later.${id}`, exitCode: exitCodes.unreached };
  }
  const advice =
    error instanceof AuthenticationError
      ? ' Run card-payments login, or set CARD_PAYMENTS_API_KEY to a key that works.'
      : error instanceof PermissionError && code === 'insufficient_scope'
        ? ' Use a key with that scope.'
        : '';
  return { text: `${message}${advice}${id}`, exitCode: exitCodes.refused };
}

/** Returns a text with every key and signing secret removed. */
const withoutSecrets = (text: string): string =>
  text
    .replaceAll(/cp[a-z]_(sandbox|live)_[0-9A-Za-z_]+/g, 'cps_$1_…')
    .replaceAll(/whsec_[A-Za-z0-9+/=]+/g, 'whsec_…');
