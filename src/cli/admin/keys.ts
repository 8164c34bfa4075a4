import type { Command } from 'commander';
import { createApiKey } from '../../crypto/api-key.ts';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { insertKey, revokeKey } from '../../db/merchants.ts';
import type { Environment, PaymentMethod } from '../../domain/statuses.ts';
import {
  environmentFlag,
  methodsFlag,
  operate,
  OperatorError,
  originsFlag,
  uuidFlag,
  withCommonFlags,
} from './operator.ts';

interface KeyFlags {
  merchant: string;
  environment: Environment;
  name: string;
  methods?: PaymentMethod[];
  embeddingOrigins?: string[];
  dataDir: string;
}

/** `key create|revoke`. The key is shown once; only its keyed hash is stored. */
export function keyCommands(program: Command): void {
  const key = program.command('key').description('API keys');
  withCommonFlags(
    key
      .command('create')
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption('--environment <name>', 'sandbox or live', environmentFlag)
      .option('--name <name>', 'what the key is for', 'unnamed')
      .option('--methods <list>', 'only these methods', methodsFlag)
      .option('--embedding-origins <list>', 'only these websites', originsFlag),
  ).action(async (flags: KeyFlags) =>
    operate(flags, async ({ database, keyring }) => {
      const created = createApiKey(flags.environment);
      const outcome = await insertKey(database, {
        id: created.keyId,
        merchantId: flags.merchant,
        environment: flags.environment,
        name: flags.name,
        secretHash: keyring.lookupHash(hashPurposes.apiKey, created.text),
        lookupKeyId: keyring.lookupKeyId,
        methods: flags.methods ?? null,
        embeddingOrigins: flags.embeddingOrigins ?? null,
      });
      if (outcome === 'unknown') throw new OperatorError(`no merchant ${flags.merchant}`);
      if (outcome === 'inactive') {
        throw new OperatorError(`merchant ${flags.merchant} is not active: run merchant activate first`);
      }
      return { keyId: created.keyId, apiKey: created.text };
    }),
  );
  withCommonFlags(key.command('revoke').requiredOption('--key <id>', 'key id')).action(
    async (flags: { key: string; dataDir: string }) =>
      operate(flags, async ({ database }) => {
        if (!(await revokeKey(database, flags.key))) throw new OperatorError(`no key ${flags.key}`);
        return { keyId: flags.key, status: 'revoked' };
      }),
  );
}
