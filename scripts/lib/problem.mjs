/** A problem that the user can fix: printed as one line, without a stack trace. */
export class Problem extends Error {}

/**
 * Runs `work`; a Problem becomes one line on stderr and exit code 1, anything else keeps its stack trace.
 * @param {() => Promise<void>} work
 */
export async function reportingProblems(work) {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`error: ${textOf(error)}\n`);
    process.exit(1);
  }
}

/** @param {unknown} error */
function textOf(error) {
  if (error instanceof Problem) return error.message;
  return error instanceof Error ? error.stack : String(error);
}

/**
 * Progress goes to stderr, so that commands printing JSON on stdout stay clean.
 * @param {string} line
 */
export function logLine(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Returns the system's code of an error (`ENOENT`), undefined when it has none.
 * @param {unknown} error
 */
export function errorCode(error) {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
