import { Command, CommanderError } from 'commander';
import { Problem } from '../../../scripts/lib/problem.mjs';

/** A flag that takes a value (`takes` names it in the help), or one without a value. */
type Flag = { takes: string; means: string; otherwise?: string } | { means: string };
type Flags = Readonly<Record<string, Flag>>;

/** A tool's name, purpose and flags, by their names in camel case. */
export interface Tool<Known extends Flags> {
  name: string;
  does: string;
  flags: Known;
}

/** The values of flags: text, or undefined when absent; for a flag without a value, whether it was given. */
type Values<Known extends Flags> = {
  [Name in keyof Known]: Known[Name] extends { takes: string }
    ? Known[Name] extends { otherwise: string }
      ? string
      : string | undefined
    : boolean;
};

/**
 * Returns the flags among a tool's arguments. Prints the help for `--help` and ends the process. Throws
 * Problem for an unknown flag.
 */
export function parseFlags<const Known extends Flags>(
  { name, does, flags }: Tool<Known>,
  args: readonly string[],
): Values<Known> {
  const command = new Command(`npm run ${name} --`)
    .description(does)
    .allowExcessArguments(false)
    .configureOutput({ writeErr: () => {} })
    .exitOverride();
  for (const [key, flag] of Object.entries(flags)) {
    const long = `--${key.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
    if ('takes' in flag) command.option(`${long} <${flag.takes}>`, flag.means, flag.otherwise);
    else command.option(long, flag.means);
  }
  try {
    const given = command.parse(args, { from: 'user' }).opts<Record<string, string | true>>();
    const valueOf = ([key, flag]: [string, Flag]): [string, string | boolean | undefined] =>
      'takes' in flag ? [key, given[key]] : [key, given[key] === true];
    return Object.fromEntries(Object.entries(flags).map(valueOf)) as Values<Known>;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) process.exit(0);
    const message = error.message.replace(/^error: /u, '').replaceAll('\n', ' ');
    throw new Problem(`${message}; npm run ${name} -- --help lists the flags`);
  }
}

/** Returns the flags of the process. Ends it with one line for an unknown flag. */
export function readFlags<const Known extends Flags>(tool: Tool<Known>): Values<Known> {
  try {
    return parseFlags(tool, process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    return process.exit(1);
  }
}
