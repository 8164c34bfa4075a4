/** What was looked at, whether it is as a start needs it, and if not what to do, in one line. */
export interface Check {
  name: string;
  ok: boolean;
  fix: string | null;
}

/** Returns a check with its fix; null: nothing is wrong. */
export const checkOf = (name: string, fix: string | null): Check => ({ name, ok: fix === null, fix });

/** Runs a check; what it throws becomes its fix, by `explain`. */
export async function trying(
  name: string,
  look: () => Promise<string | null>,
  explain: (reason: string) => string,
): Promise<Check> {
  try {
    return checkOf(name, await look());
  } catch (error) {
    return checkOf(name, explain(reasonOf(error)));
  }
}

/** Returns the reason of a failure in one line, without an address or a password that its text may hold. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code, details } = error as { code?: unknown; details?: unknown };
  if (typeof details === 'string' && details !== '') return details.split('\n')[0] ?? error.name;
  if (typeof code === 'string') return code;
  return error.cause === undefined ? error.name : reasonOf(error.cause);
}
