import { Command } from 'commander';
import { CardPayments } from '../../typescript/src/index.ts';
import { type Output, createOutput } from './output.ts';
import { type Target, type TargetFlags, findTarget } from './target.ts';

/** The flags of every command that calls the service. */
export type CommonFlags = TargetFlags & { json?: boolean };

/** Adds the flags by which a command finds the service. */
export const withTarget = (command: Command): Command =>
  command
    .option('--api-key <key>', 'your API key; else CARD_PAYMENTS_API_KEY, the running stack, or the login')
    .option('--base-url <url>', 'the service; else CARD_PAYMENTS_URL, the running stack, or the login')
    .option('--data-dir <dir>', 'data directory of a running stack; progress is kept there', '.local');

/** Adds the flag for JSON at a terminal. */
export const withJson = (command: Command): Command =>
  command.option('--json', 'print JSON, as is always done in a pipe');

/** Returns a new command below a parent, with the flags of every command. */
export const subcommand = (parent: Command, name: string, description: string): Command =>
  withJson(withTarget(parent.command(name).description(description)));

/** The tools of a command that calls the service. */
export interface Context {
  cp: CardPayments;
  target: Target;
  output: Output;
}

/** Returns the client, the target and the output of a command. */
export function contextOf(flags: CommonFlags): Context {
  const target = findTarget(flags);
  return { target, cp: new CardPayments(target), output: createOutput(flags) };
}

/** Returns a signal that is aborted when the command is stopped. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  return stopping.signal;
}

/** Runs `work` until it ends or `signal` aborts; an end by the signal is not a failure. */
export async function untilStopped(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
