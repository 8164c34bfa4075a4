import { Command, CommanderError } from 'commander';
import { isDatabaseUnavailable } from '../db/server/database.ts';
import { alertCommands } from './admin/alerts.ts';
import { auditCommands } from './admin/audit.ts';
import { brandingCommands } from './admin/branding.ts';
import { deployCommands } from './admin/deploy.ts';
import { doctorCommand } from './admin/doctor.ts';
import { connectorCommands } from './admin/connectors.ts';
import { customerCommands } from './admin/customers.ts';
import { dashboardCommands } from './admin/dashboard.ts';
import { addHelp, addMissingVerbs } from './admin/help.ts';
import { keyCommands } from './admin/keys.ts';
import { mailCommands } from './admin/mail.ts';
import { merchantCommands } from './admin/merchants.ts';
import { OperatorError, WrongFlagError } from './admin/operator.ts';
import { paymentCommands } from './admin/payments.ts';
import { riskCommands } from './admin/risk.ts';
import { reconcileCommands } from './admin/reconcile.ts';
import { restoreCommands } from './admin/restore.ts';
import { rewrapCommands } from './admin/rewrap.ts';
import { settingsCommands } from './admin/settings.ts';
import { storageCommands } from './admin/storage.ts';
import { webhookCommands } from './admin/webhooks.ts';
import { eventCommands } from './admin/events.ts';
import { problems } from './problems.ts';

/**
 * The operator command. `admin <noun> <verb> [flags]` prints its answer, with `--json` as one JSON object,
 * and exits 0, or prints one line on stderr and exits 1. `doctor`, `deploy`, `reconcile`, `restore` and
 * `storage` exit 3 when they find a fault, and 2 for a wrong flag. Without arguments it prints help.
 * docs/operations.md.
 */
const program = new Command('admin')
  .description('Manage merchants, settings, keys and webhook endpoints; inspect payments.')
  .exitOverride()
  .configureOutput({ writeErr: () => undefined });
for (const add of [
  merchantCommands,
  customerCommands,
  settingsCommands,
  riskCommands,
  brandingCommands,
  mailCommands,
  keyCommands,
  rewrapCommands,
  paymentCommands,
  webhookCommands,
  eventCommands,
  alertCommands,
  reconcileCommands,
  restoreCommands,
  storageCommands,
  connectorCommands,
  auditCommands,
  dashboardCommands,
  doctorCommand,
  deployCommands,
])
  add(program);
addHelp(program);
addMissingVerbs(program);
failInOneLine(program);

try {
  if (process.argv.length <= 2) program.outputHelp();
  else await program.parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError && error.exitCode === 0) process.exit(0);
  process.stderr.write(`${oneLine(error)}\n`);
  const isWrongFlag = error instanceof CommanderError && checksForFaults(process.argv[2]);
  process.exit(isWrongFlag || error instanceof WrongFlagError ? 2 : 1);
}

/**
 * Returns whether a command checks for faults. It uses another exit code for a wrong flag, so that a script
 * does not take that for a result.
 */
function checksForFaults(command: string | undefined): boolean {
  return command !== undefined && ['doctor', 'deploy', 'reconcile', 'restore', 'storage'].includes(command);
}

/** Applies the settings of the program to its sub-commands, which do not inherit them. */
function failInOneLine(command: Command): void {
  for (const child of command.commands) {
    child.exitOverride().configureOutput({ writeErr: () => undefined });
    failInOneLine(child);
  }
}

function oneLine(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    // If a verb was given, its help explains the verb's flags.
    const [noun, verb] = process.argv.slice(2);
    const named = program.commands
      .find((command) => command.name() === noun)
      ?.commands.some((command) => command.name() === verb);
    return `${message}; see admin ${named ? `${noun} ${verb} ` : ''}--help`;
  }
  if (isDatabaseUnavailable(error)) return problems.databaseUnreachable;
  const reason = error instanceof Error ? (error.message.split('\n')[0] ?? error.name) : 'unknown error';
  return problems.failed(reason);
}
