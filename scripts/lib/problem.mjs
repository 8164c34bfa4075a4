/** Something the user can mend: printed as one line, without a stack trace. */
export class Problem extends Error {}

/** Runs `work`; a Problem becomes one line on stderr and exit code 1, anything else keeps its stack trace. */
export async function reportingProblems(work) {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Problem ? error.message : error.stack}\n`);
    process.exit(1);
  }
}

/** Progress goes to stderr, so that commands printing JSON on stdout stay clean. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}
