import type { Command } from 'commander';
import { newKey } from '../../crypto/api-key.ts';
import { loadSettings } from '../../db/merchants/merchants.ts';
import { insertKey, listKeys, revokeKey } from '../../db/merchants/merchant-keys.ts';
import type { Scope } from '../../domain/scopes.ts';
import type { Environment, PaymentMethod } from '../../domain/statuses.ts';
import { problems } from '../problems.ts';
import {
  byOperator,
  environmentFlag,
  methodsFlag,
  operate,
  OperatorError,
  originsFlag,
  addressesFlag,
  centsFlag,
  scopesFlag,
  uuidFlag,
  withCommonFlags,
} from './operator.ts';

/** The maximum length of a list. */
const shownKeys = 1_000;

interface KeyFlags {
  merchant: string;
  environment: Environment;
  name: string;
  methods?: PaymentMethod[];
  embeddingOrigins?: string[];
  scopes?: Scope[] | 'full';
  allowFrom?: string[];
  refundCapCents?: number;
  dataDir: string;
}

/** `key create|list|revoke`. The key is printed once; only its keyed hash is stored. */
export function keyCommands(program: Command): void {
  const key = program.command('key').description('API keys');
  withCommonFlags(
    key
      .command('create')
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption('--environment <name>', 'sandbox or live', environmentFlag)
      .option('--name <name>', 'what the key is for', 'unnamed')
      .option('--methods <list>', 'only these methods', methodsFlag)
      .option('--embedding-origins <list>', 'only these websites', originsFlag)
      .option(
        '--scopes <list>',
        'full, read-only, no-refunds, or scopes as payments:read,refunds:write',
        scopesFlag,
      )
      .option('--allow-from <list>', 'only from these addresses and networks', addressesFlag)
      .option('--refund-cap-cents <n>', 'the most it refunds in a UTC day', centsFlag('--refund-cap-cents')),
  ).action(async (flags: KeyFlags) =>
    operate(flags, async ({ database, keyring, now }) => {
      const { text, stored } = newKey(keyring, flags.environment);
      const { merchant: merchantId, environment, name, methods = null, embeddingOrigins = null } = flags;
      const { allowFrom = null, refundCapCents = null } = flags;
      const scopes = flags.scopes === undefined || flags.scopes === 'full' ? null : flags.scopes;
      const limits = { methods, embeddingOrigins, scopes, allowFrom, refundCapCents };
      const made = { ...stored, ...limits, merchantId, environment, name };
      const outcome = await insertKey(database, made, byOperator(now));
      if (outcome === 'unknown') throw new OperatorError(problems.noMerchant(flags.merchant));
      if (outcome === 'inactive') {
        throw new OperatorError(problems.inactiveMerchant(flags.merchant));
      }
      return { keyId: stored.id, apiKey: text };
    }),
  );
  withCommonFlags(
    key
      .command('list')
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption('--environment <name>', 'sandbox or live', environmentFlag),
  ).action(async (flags: Pick<KeyFlags, 'merchant' | 'environment' | 'dataDir'>) =>
    operate(flags, async ({ database }) => {
      const tenant = { merchantId: flags.merchant, environment: flags.environment };
      if (!(await loadSettings(database, tenant)))
        throw new OperatorError(problems.noMerchant(flags.merchant));
      return { keys: await listKeys(database, tenant, shownKeys) };
    }),
  );
  withCommonFlags(key.command('revoke').requiredOption('--key <id>', 'key id')).action(
    async (flags: { key: string; dataDir: string }) =>
      operate(flags, async ({ database, now }) => {
        if (!(await revokeKey(database, flags.key, byOperator(now))))
          throw new OperatorError(problems.noKey(flags.key));
        return { keyId: flags.key, status: 'revoked' };
      }),
  );
}
