import type { Command } from 'commander';
import { listMarks } from '../../db/merchants/card-testing.ts';
import { loadSettings } from '../../db/merchants/merchants.ts';
import { declineLimitNames } from '../../domain/card-testing.ts';
import type { Environment } from '../../domain/statuses.ts';
import { clearCardTesting, shownSubject } from '../../operations/payments/card-testing.ts';
import { problems } from '../problems.ts';
import {
  byOperator,
  environmentFlag,
  operate,
  OperatorError,
  uuidFlag,
  withCommonFlags,
} from './operator.ts';

interface RiskFlags {
  merchant: string;
  environment: Environment;
  dataDir: string;
}

/** `risk show|clear`: the payments refused because cards seemed to be tested. ADR 0053. */
export function riskCommands(program: Command): void {
  const risk = program.command('risk').description('Card testing at a merchant');
  const verb = (name: string): Command =>
    withCommonFlags(
      risk
        .command(name)
        .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
        .requiredOption('--environment <name>', 'sandbox or live', environmentFlag),
    );
  verb('show').action(async (flags: RiskFlags) =>
    operate(flags, async ({ database }) => {
      const tenant = { merchantId: flags.merchant, environment: flags.environment };
      const settings = await loadSettings(database, tenant);
      if (!settings) throw new OperatorError(problems.noMerchant(flags.merchant));
      return {
        ...tenant,
        limits: Object.fromEntries(declineLimitNames.map((name) => [name, settings[name]])),
        marks: (await listMarks(database, tenant)).map((mark) => ({
          ...mark,
          subject: shownSubject(mark.dimension, mark.subject),
          since: mark.since.toISOString(),
          lastRefusedAt: mark.lastRefusedAt.toISOString(),
        })),
      };
    }),
  );
  verb('clear').action(async (flags: RiskFlags) =>
    operate(flags, async ({ database, now }) => {
      const tenant = { merchantId: flags.merchant, environment: flags.environment };
      if (!(await loadSettings(database, tenant)))
        throw new OperatorError(problems.noMerchant(flags.merchant));
      return { ...tenant, cleared: await clearCardTesting(database, tenant, byOperator(now)) };
    }),
  );
}
