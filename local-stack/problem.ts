/** Something the user can mend: shown as one line that names the fix. `exitCode` is that of the launcher. */
export class StackProblem extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The message of whatever was thrown, on one line; some errors of the system carry a code only. */
export function reasonOf(error: unknown): string {
  const message =
    error instanceof Error && error.message !== '' ? error.message : (codeOf(error) ?? String(error));
  return message.replaceAll(/\s*\n\s*/g, ' ').trim();
}

/** The `code` that errors of the system and of PostgreSQL carry, such as ENOENT or 28P01. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
