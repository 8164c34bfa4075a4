import { Command, CommanderError } from 'commander';
import { isDatabaseUnavailable } from '../db/database.ts';
import { alertCommands } from './admin/alerts.ts';
import { auditCommands } from './admin/audit.ts';
import { brandingCommands } from './admin/branding.ts';
import { connectorCommands } from './admin/connectors.ts';
import { dashboardCommands } from './admin/dashboard.ts';
import { addHelp } from './admin/help.ts';
import { keyCommands } from './admin/keys.ts';
import { merchantCommands } from './admin/merchants.ts';
import { OperatorError } from './admin/operator.ts';
import { paymentCommands } from './admin/payments.ts';
import { rewrapCommands } from './admin/rewrap.ts';
import { settingsCommands } from './admin/settings.ts';
import { eventCommands, webhookCommands } from './admin/webhooks.ts';

/**
 * The operator command: `admin <noun> <verb> [flags] --json` prints one JSON object and exits 0, or one line
 * on stderr and exits 1. docs/operations.md.
 */
const program = new Command('admin')
  .description('Manage merchants, settings, keys and webhook endpoints; inspect payments.')
  .exitOverride()
  .configureOutput({ writeErr: () => undefined });
for (const add of [
  merchantCommands,
  settingsCommands,
  brandingCommands,
  keyCommands,
  rewrapCommands,
  paymentCommands,
  webhookCommands,
  eventCommands,
  alertCommands,
  connectorCommands,
  auditCommands,
  dashboardCommands,
])
  add(program);
addHelp(program);
failInOneLine(program);

try {
  await program.parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError && error.exitCode === 0) process.exit(0);
  process.stderr.write(`${oneLine(error)}\n`);
  process.exit(1);
}

/** Sub-commands do not inherit these settings of their parent. */
function failInOneLine(command: Command): void {
  for (const child of command.commands) {
    child.exitOverride().configureOutput({ writeErr: () => undefined });
    failInOneLine(child);
  }
}

function oneLine(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (error instanceof CommanderError) return `${error.message.replace(/^error: /, '')}; see admin --help`;
  if (isDatabaseUnavailable(error))
    return 'the database is not reachable: check DATABASE_URL, or run npm start first';
  return `failed: ${error instanceof Error ? (error.message.split('\n')[0] ?? error.name) : 'unknown error'}`;
}
