import type { Command } from 'commander';
import { uuidv7 } from 'uuidv7';
import { createMerchant, setMerchantStatus } from '../../db/merchants.ts';
import { OperatorError, operate, uuidFlag, withCommonFlags } from './operator.ts';

/** `merchant create|activate|disable`. */
export function merchantCommands(program: Command): void {
  const merchant = program.command('merchant').description('Merchant accounts');
  withCommonFlags(
    merchant
      .command('create')
      .requiredOption('--name <name>', 'display name')
      .option('--inactive', 'not activated yet'),
  ).action(async (flags: { name: string; inactive?: boolean; dataDir: string }) =>
    operate(flags, async ({ database }) => {
      const merchantId = uuidv7();
      await createMerchant(database, {
        id: merchantId,
        name: flags.name,
        status: flags.inactive === true ? 'inactive' : 'active',
      });
      return { merchantId };
    }),
  );
  for (const [verb, status] of [
    ['activate', 'active'],
    ['disable', 'disabled'],
  ] as const) {
    withCommonFlags(
      merchant.command(verb).requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant')),
    ).action(async (flags: { merchant: string; dataDir: string }) =>
      operate(flags, async ({ database }) => {
        if (!(await setMerchantStatus(database, flags.merchant, status))) {
          throw new OperatorError(`no merchant ${flags.merchant}`);
        }
        return { merchantId: flags.merchant, status };
      }),
    );
  }
}
