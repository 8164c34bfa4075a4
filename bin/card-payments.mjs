#!/usr/bin/env node
/**
 * `npx card-payments <command>`: tools for a merchant's developers. Builds what is missing, then runs the
 * command.
 */
/** @type {Record<string, string>} */
const commands = { listen: 'src/cli/listen.js', 'check-receiver': 'src/cli/check-receiver.js' };
const [name = '', ...args] = process.argv.slice(2);

if (!Object.hasOwn(commands, name)) {
  const asked = ['', 'help', '--help', '-h'].includes(name);
  (asked ? process.stdout : process.stderr).write(
    `usage: card-payments <command> [flags]\n\n` +
      `  listen --forward-to URL   forward the events of your account to a local receiver; nothing is lost while it is away\n` +
      `  check-receiver URL        try a receiver with duplicates, reordering, bad signatures, old and slow deliveries\n\n` +
      `card-payments <command> --help tells the flags.\n`,
  );
  process.exit(asked ? 0 : 1);
}
process.argv = [process.execPath, process.argv[1] ?? '', commands[name] ?? '', ...args];
await import('../scripts/run.mjs');
