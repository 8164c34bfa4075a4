import type { Command } from 'commander';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { randomUrlSecret } from '../../crypto/secrets.ts';
import { createOwnerLink } from '../../db/members/sign-in-links.ts';
import { dashboardUrl } from '../../runtime/settings.ts';
import { problems } from '../problems.ts';
import { byOperator, operate, OperatorError, uuidFlag, withCommonFlags } from './operator.ts';

/** `dashboard link`: a sign-in link for a merchant's owner, for the first time or when locked out. */
export function dashboardCommands(program: Command): void {
  const dashboard = program.command('dashboard').description("The merchants' own pages");
  withCommonFlags(
    dashboard.command('link').requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant')),
  ).action(async (flags: { merchant: string; dataDir: string }) =>
    operate(flags, async ({ database, keyring, settings, now }) => {
      const token = randomUrlSecret();
      const tokenHash = keyring.lookupHash(hashPurposes.signInLink, token);
      const owner = await createOwnerLink(database, flags.merchant, tokenHash, byOperator(now));
      if (!owner) throw new OperatorError(problems.noMerchant(flags.merchant));
      return { url: `${dashboardUrl(settings)}/dashboard/link/${token}` };
    }),
  );
}
