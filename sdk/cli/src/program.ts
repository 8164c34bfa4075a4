import { Command } from 'commander';
import { addCheckReceiver } from './commands/check-receiver.ts';
import { addCompletion } from './commands/completion.ts';
import { addEvents } from './commands/events.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addLogs } from './commands/logs.ts';
import { addMcp } from './commands/mcp.ts';
import { addPayments } from './commands/payments.ts';
import { addTrigger } from './commands/trigger.ts';
import { misused } from './errors.ts';
import { version } from './version.ts';

/** Returns the whole command. It throws usage errors, which the caller prints in one line. */
export function createProgram(): Command {
  const program = new Command('card-payments')
    .description('Tools for developers who take card payments.')
    .version(version)
    // Subcommands inherit both.
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .addHelpText('after', '\nExits 0 when done, 1 refused, 2 used wrongly, 3 service not reached.');
  addListen(program);
  addCheckReceiver(program);
  addTrigger(program);
  addLogs(program);
  addPayments(program);
  addEvents(program);
  addLogin(program);
  addCompletion(program);
  addMcp(program);
  for (const command of [program, ...program.commands]) {
    if (command.commands.length > 0) refuseUnknown(command);
  }
  return program;
}

/** Refuses an unknown command, and prints the help when no command is given. */
function refuseUnknown(command: Command): void {
  command.allowExcessArguments().action(() => {
    const [word] = command.args;
    if (word === undefined) command.help();
    const names = command.commands.map((one) => one.name()).join(', ');
    throw misused(`Unknown command "${word}". The commands are ${names}.`);
  });
}
