import { buildGuides } from './guides.ts';
import type { Launch } from './launch.ts';
import { launch, refuseInvalidSettings } from './launcher.ts';
import { parseOptions } from './options.ts';
import { StackProblem, codeOf, reasonOf } from './problem.ts';
import type { Output } from './progress.ts';
import type { Entries } from './services.ts';
import { StackSession } from './session.ts';
import { type StopReason, listenForStop } from './stop-signals.ts';
import { summary } from './summary.ts';

const EXIT_CODES: Record<StopReason, number> = { SIGINT: 130, SIGTERM: 0, 'npm ended': 0 };

/** Some terminals report zero columns. */
const NARROWEST_DISPLAY = 40;

/**
 * Runs the stack until a signal stops it; returns the exit code. A StackProblem becomes one line on stderr.
 */
export async function runStack(args: readonly string[], entries: Entries): Promise<number> {
  const output = terminalOutput();
  try {
    const options = parseOptions(args);
    refuseInvalidSettings(process.env, options);
    return await serve(output, (signal) => StackSession.open(options, output, signal), {
      options,
      entries,
      environment: process.env,
      output,
    });
  } catch (error) {
    const problem = error instanceof StackProblem ? error : fileProblem(error);
    if (problem === undefined) throw error;
    if (problem.message !== '') process.stderr.write(`error: ${problem.message}\n`);
    return problem.exitCode;
  }
}

/** Returns the problem of a full disk or a directory of another user, which the user can fix. */
function fileProblem(error: unknown): StackProblem | undefined {
  if (!(error instanceof Error) || !('path' in error) || codeOf(error) === undefined) return undefined;
  return new StackProblem(`${reasonOf(error)}: fix it, or choose another directory with --data-dir`);
}

async function serve(
  output: Output,
  open: (signal: AbortSignal) => Promise<StackSession>,
  start: Omit<Launch, 'session' | 'signal'>,
): Promise<number> {
  let session: StackSession | undefined;
  const { signal, requested } = listenForStop(() => {
    session?.kill();
    process.exit(EXIT_CODES.SIGINT);
  });
  const ended = new AbortController();
  let guides: Promise<void> | undefined;
  try {
    session = await open(signal);
    const running = { ...start, session, signal };
    const description = await launch(running);
    for (const line of summary(description, session.dataDir)) output.line(line);
    guides = buildGuides(running, AbortSignal.any([signal, ended.signal]));
    const reason = await requested;
    output.line(`Stopping (${reason}); press Ctrl-C again to stop at once`);
    return EXIT_CODES[reason];
  } catch (error) {
    if (!signal.aborted) throw error;
    return EXIT_CODES[await requested];
  } finally {
    ended.abort();
    await guides;
    await session?.stop();
    if (signal.aborted) output.line('Stopped.');
  }
}

/** A closed pipe (`npm start | head`) must not end the stack. */
function terminalOutput(): Output {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  return {
    display:
      process.stdout.isTTY && process.stdout.columns >= NARROWEST_DISPLAY && process.env['CI'] === undefined,
    line: (text) => process.stdout.write(`${text}\n`),
  };
}
