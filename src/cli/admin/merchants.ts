import type { Command } from 'commander';
import { uuidv7 } from 'uuidv7';
import { requireIdentityProvider, requiresIdentityProvider } from '../../db/members/member-identities.ts';
import { createMerchant, listMerchants, setMerchantStatus } from '../../db/merchants/merchants.ts';
import { problems } from '../problems.ts';
import { addMerchantExport } from './merchant-export.ts';
import { byOperator, OperatorError, operate, switchFlag, uuidFlag, withCommonFlags } from './operator.ts';

/** The maximum length of a list. */
const listedMerchants = 1_000;

/** `merchant create|list|activate|disable|sign-in|export`. */
export function merchantCommands(program: Command): void {
  const merchant = program.command('merchant').description('Merchant accounts');
  withCommonFlags(
    merchant
      .command('create')
      .requiredOption('--name <name>', 'display name')
      .option('--inactive', 'not activated yet'),
  ).action(async (flags: { name: string; inactive?: boolean; dataDir: string }) =>
    operate(flags, async ({ database, now }) => {
      const merchantId = uuidv7();
      const status = flags.inactive === true ? 'inactive' : 'active';
      await createMerchant(database, { id: merchantId, name: flags.name, status }, byOperator(now));
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
  addSignIn(merchant);
  addMerchantExport(merchant);
  for (const [verb, status] of [
    ['activate', 'active'],
    ['disable', 'disabled'],
  ] as const) {
    withCommonFlags(
      merchant.command(verb).requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant')),
    ).action(async (flags: { merchant: string; dataDir: string }) =>
      operate(flags, async ({ database, now }) => {
        if (!(await setMerchantStatus(database, flags.merchant, status, byOperator(now)))) {
          throw new OperatorError(problems.noMerchant(flags.merchant));
        }
        return { merchantId: flags.merchant, status };
      }),
    );
  }
}

/** `merchant sign-in`: sets whether members must sign in at the identity provider. ADR 0075. */
function addSignIn(merchant: Command): void {
  const flag = '--require-identity-provider';
  withCommonFlags(
    merchant
      .command('sign-in')
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption(`${flag} <on|off>`, 'members sign in at the identity provider alone', switchFlag(flag)),
  ).action(async (flags: { merchant: string; requireIdentityProvider: boolean; dataDir: string }) =>
    operate(flags, async ({ database, settings, now }) => {
      const { merchant: merchantId, requireIdentityProvider: required } = flags;
      const before = await requiresIdentityProvider(database, merchantId);
      if (required && !before && settings.OIDC_ISSUER === undefined)
        throw new OperatorError(problems.noIdentityProvider);
      const set = await requireIdentityProvider(database, merchantId, required, byOperator(now));
      if (set === 'unknown') throw new OperatorError(problems.noMerchant(merchantId));
      if (set === 'noOwner') throw new OperatorError(problems.noOwnerAddress(merchantId));
      return { merchantId, requiresIdentityProvider: required };
    }),
  );
}
