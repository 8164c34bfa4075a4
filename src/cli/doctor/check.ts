/**
 * The result of a check: its name, whether a start succeeds in this respect, and otherwise the fix, in one
 * line.
 */
export interface Check {
  name: string;
  ok: boolean;
  fix: string | null;
}

/** Returns a check with its fix; null if nothing is wrong. */
export const checkOf = (name: string, fix: string | null): Check => ({ name, ok: fix === null, fix });

/** Runs a check. `explain` turns an error that it throws into its fix. */
export async function runCheck(
  name: string,
  check: () => Promise<string | null>,
  explain: (reason: string) => string,
): Promise<Check> {
  try {
    return checkOf(name, await check());
  } catch (error) {
    return checkOf(name, explain(reasonOf(error)));
  }
}

/** Returns the reason of a failure in one line, without the address or password that its text may contain. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code, details } = error as { code?: unknown; details?: unknown };
  if (typeof details === 'string' && details !== '') return details.split('\n')[0] ?? error.name;
  if (typeof code === 'string') return code;
  return error.cause === undefined ? error.name : reasonOf(error.cause);
}
