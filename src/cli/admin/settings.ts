import type { Command } from 'commander';
import { updateSettings } from '../../db/merchants/merchants.ts';
import { type DeclineLimits, declineLimitNames, maxDeclines } from '../../domain/card-testing.ts';
import type { Environment, PaymentMethod } from '../../domain/statuses.ts';
import { problems } from '../problems.ts';
import {
  byOperator,
  centsFlag,
  environmentFlag,
  methodsFlag,
  operate,
  OperatorError,
  originsFlag,
  switchFlag,
  uuidFlag,
  withCommonFlags,
} from './operator.ts';

interface SettingsFlags extends Partial<DeclineLimits> {
  merchant: string;
  environment: Environment;
  methods?: PaymentMethod[];
  customMode?: boolean;
  customActions?: boolean;
  hostedForm?: boolean;
  refundLate?: boolean;
  refundApprovalCents?: number | 'none';
  embeddingOrigins?: string[];
  dataDir: string;
}

/** `settings set`: changes the given settings and prints all settings of that environment. */
export function settingsCommands(program: Command): void {
  const settings = program.command('settings').description('Settings of a merchant in one environment');
  const set = settings.command('set');
  withCommonFlags(
    set
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption('--environment <name>', 'sandbox or live', environmentFlag)
      .option('--methods <list>', 'card,wallet,pix', methodsFlag)
      .option('--custom-mode <on|off>', 'merchant card capture', switchFlag('--custom-mode'))
      .option(
        '--custom-actions <on|off>',
        'approved for custom action handling',
        switchFlag('--custom-actions'),
      )
      .option('--embedding-origins <list>', 'websites that may embed the checkout', originsFlag)
      .option(
        '--hosted-form <on|off>',
        "the vault's hosted form for custom mode",
        switchFlag('--hosted-form'),
      )
      .option(
        '--refund-approval-cents <n>',
        'refunds in the dashboard from this sum of a day on wait for a second member; none: never',
        (text) => (text === 'none' ? text : centsFlag('--refund-approval-cents')(text)),
      )
      .option(
        '--refund-late <on|off>',
        'refund payments that are paid after their checkout closed',
        switchFlag('--refund-late'),
      ),
  );
  for (const name of declineLimitNames) addDeclineLimit(set, name);
  set.action(async (flags: SettingsFlags) =>
    operate(flags, async ({ database, now }) => {
      const { merchant, environment, dataDir: _, refundApprovalCents: approval, ...others } = flags;
      const changes =
        approval === undefined
          ? others
          : { ...others, refundApprovalCents: approval === 'none' ? null : approval };
      const updated = await updateSettings(database, merchant, environment, changes, byOperator(now));
      if (!updated) throw new OperatorError(problems.noMerchant(merchant));
      return { ...updated };
    }),
  );
}

/** `--declines-per-key <n>` and the like: declines within ten minutes; 0 for never. ADR 0053. */
function addDeclineLimit(command: Command, name: keyof DeclineLimits): void {
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  command.option(`${flag} <n>`, 'declines in ten minutes before pays are refused; 0: never', (text) => {
    const limit = Number(text);
    if (!/^[0-9]{1,7}$/.test(text) || limit > maxDeclines)
      throw new OperatorError(problems.declines(flag, maxDeclines));
    return limit;
  });
}
