import type { Command } from 'commander';
import { listAlerts } from '../../db/server/operator-alerts.ts';
import { operate, withCommonFlags } from './operator.ts';

/** Alerts shown at most. */
const shownAlerts = 1_000;

/** `alert list`: what the sweeps cannot look at, oldest first. docs/operations.md. */
export function alertCommands(program: Command): void {
  const alert = program.command('alert').description('What needs an operator');
  withCommonFlags(alert.command('list').description('What the sweeps cannot look at, oldest first')).action(
    async (flags: { dataDir: string }) =>
      operate(flags, async ({ database }) => ({
        alerts: (await listAlerts(database, shownAlerts)).map((one) => ({
          ...one,
          subject: one.subject === '' ? null : one.subject,
          since: one.since.toISOString(),
        })),
      })),
  );
}
