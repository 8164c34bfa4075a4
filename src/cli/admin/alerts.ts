import type { Command } from 'commander';
import { clearAlert, listAlerts } from '../../db/server/operator-alerts.ts';
import { problems } from '../problems.ts';
import { operate, OperatorError, withCommonFlags } from './operator.ts';

/** The maximum length of a list. */
const shownAlerts = 1_000;

/** `alert list|clear`: the alerts that need the operator, oldest first. docs/operations.md. */
export function alertCommands(program: Command): void {
  const alert = program.command('alert').description('Alerts for the operator');
  withCommonFlags(alert.command('list')).action(async (flags: { dataDir: string }) =>
    operate(flags, async ({ database }) => ({
      alerts: (await listAlerts(database, shownAlerts)).map((one) => ({
        ...one,
        subject: one.subject === '' ? null : one.subject,
        since: one.since.toISOString(),
      })),
    })),
  );
  withCommonFlags(
    alert
      .command('clear')
      .requiredOption('--sweep <name>', 'name of the alert in alert list')
      .option('--subject <id>', 'its subject in alert list; left out if the list shows none', ''),
  ).action(async (flags: { sweep: string; subject: string; dataDir: string }) =>
    operate(flags, async ({ database, now }) => {
      const { sweep, subject } = flags;
      if (!(await clearAlert(database, sweep, subject, new Date(now())))) {
        throw new OperatorError(problems.noAlert(sweep, subject));
      }
      return { sweep, subject: subject === '' ? null : subject, cleared: true };
    }),
  );
}
