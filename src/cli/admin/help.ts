import type { Command } from 'commander';
import { verbs } from '../texts.ts';
import { problems } from '../problems.ts';
import { OperatorError } from './operator.ts';

const call = 'npm run --silent admin --';

/**
 * Refuses a noun without a known verb, in one line that lists its verbs. Call it after all commands are
 * added.
 */
export function addMissingVerbs(program: Command): void {
  for (const noun of program.commands.filter(({ commands }) => commands.length > 0)) {
    const known = noun.commands.map((verb) => verb.name()).join(', ');
    noun.allowExcessArguments().action((_flags, { args }: Command) => {
      const [given] = args;
      throw new OperatorError(problems.verb(noun.name(), given, known));
    });
  }
}

/**
 * Gives every verb its description and example, and gives the program's help the list of all verbs with their
 * required flags. Call it after all commands are added. Throws for a verb without an entry.
 */
export function addHelp(program: Command): void {
  const lines: string[] = [];
  for (const noun of program.commands) {
    const isVerb = noun.commands.length === 0;
    for (const verb of isVerb ? [noun] : noun.commands) {
      const words = isVerb ? noun.name() : `${noun.name()} ${verb.name()}`;
      const about = verbs[words];
      if (!about) throw new Error(`the verb ${words} has no entry in the help`);
      verb.description(about.does);
      verb.addHelpText('after', `\nExample:\n  ${`${call} ${words} ${about.example}`.trim()}`);
      const required = verb.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
      lines.push(`  ${[words, ...required].join(' ')}`, `      ${about.does}`);
    }
  }
  const example = `${call} payment list ${verbs['payment list']?.example}`;
  const title = 'Verbs, with the flags they require (all flags of one: admin <noun> <verb> --help):';
  program.addHelpText('after', `\n${title}\n${lines.join('\n')}\n\nExample:\n  ${example}\n`);
}
