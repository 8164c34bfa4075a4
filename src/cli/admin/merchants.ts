import type { Command } from 'commander';
import { uuidv7 } from 'uuidv7';
import { createMerchant, listMerchants, setMerchantStatus } from '../../db/merchants/merchants.ts';
import { problems } from '../texts.ts';
import { addMerchantExport } from './merchant-export.ts';
import { byOperator, OperatorError, operate, uuidFlag, withCommonFlags } from './operator.ts';

/** Longest list. */
const listedMerchants = 1_000;

/** `merchant create|list|activate|disable|export`. */
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
      const status = flags.inactive === true ? 'inactive' : 'active';
      await createMerchant(database, { id: merchantId, name: flags.name, status }, byOperator());
      return { merchantId };
    }),
  );
  withCommonFlags(merchant.command('list')).action(async (flags: { dataDir: string }) =>
    operate(flags, async ({ database }) => ({
      merchants: (await listMerchants(database, listedMerchants)).map((one) => ({
        ...one,
        createdAt: one.createdAt.toISOString(),
      })),
    })),
  );
  addMerchantExport(merchant);
  for (const [verb, status] of [
    ['activate', 'active'],
    ['disable', 'disabled'],
  ] as const) {
    withCommonFlags(
      merchant.command(verb).requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant')),
    ).action(async (flags: { merchant: string; dataDir: string }) =>
      operate(flags, async ({ database }) => {
        if (!(await setMerchantStatus(database, flags.merchant, status, byOperator()))) {
          throw new OperatorError(problems.noMerchant(flags.merchant));
        }
        return { merchantId: flags.merchant, status };
      }),
    );
  }
}
