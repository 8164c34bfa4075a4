/** A problem that the user can fix: shown as one line that names the fix. `exitCode` is the launcher's. */
export class StackProblem extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the message of a thrown value on one line; some system errors carry only a code. */
export function reasonOf(error: unknown): string {
  const message =
    error instanceof Error && error.message !== '' ? error.message : (codeOf(error) ?? String(error));
  return message.replaceAll(/\s*\n\s*/g, ' ').trim();
}

/** Returns the `code` of a system or PostgreSQL error, such as ENOENT or 28P01. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
