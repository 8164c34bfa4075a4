import type { Command } from 'commander';
import { listAlerts } from '../../db/server/operator-alerts.ts';
import { operate, withCommonFlags } from './operator.ts';

/** Longest list. */
const shownAlerts = 1_000;

/** `alert list`: what the sweeps cannot check, oldest first. docs/operations.md. */
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
}
