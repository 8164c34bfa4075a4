import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { uuidv7 } from 'uuidv7';
import { ConnectorProblem, checkStripePair } from '../../connectors/check.ts';
import {
  rotateWebhookSecret,
  type StripeCredentials,
  stripeCredentialsSchema,
} from '../../connectors/credentials.ts';
import { openCredentials, sealCredentials } from '../../connectors/resolve.ts';
import {
  type ConnectorRecord,
  clearConnector,
  findActiveConnector,
  isMerchant,
  listConnectors,
  markConnectorChecked,
  rotateConnector,
  setConnector,
} from '../../db/merchants/connectors.ts';
import type { Environment } from '../../domain/statuses.ts';
import { createStripeAgent } from '../../providers/stripe/client.ts';
import { problems } from '../problems.ts';
import {
  byOperator,
  environmentFlag,
  operate,
  type Operator,
  OperatorError,
  uuidFlag,
  withCommonFlags,
} from './operator.ts';

interface TenantFlags {
  dataDir: string;
  merchant: string;
  environment: Environment;
}

/** The flags of the credentials, by their names in the sealed object. */
const credentialFlags = {
  secretKey: ['secret-key', 'Stripe secret or restricted key'],
  publishableKey: ['publishable-key', 'Stripe publishable key'],
  webhookSecret: ['webhook-secret', "signing secret of Stripe's webhook endpoint"],
  vaultUser: ['vault-user', 'API user of PCI Vault'],
  vaultPassword: ['vault-password', 'API password of PCI Vault'],
  vaultKey: ['vault-key', "name of PCI Vault's encryption key"],
  vaultPassphrase: ['vault-passphrase', 'passphrase of that key'],
} as const;

type CredentialName = keyof typeof credentialFlags;
const credentialNames = Object.keys(credentialFlags) as CredentialName[];

type CredentialFlags = TenantFlags & { apiBase?: string; vaultBase?: string } & Partial<
    Record<CredentialName | `${CredentialName}File`, string>
  >;

/** Largest file with one credential, in bytes. */
const maxFileBytes = 16 * 1024;

/** `connector …`: the vault and network of a merchant's payments. docs/going-live.md. */
export function connectorCommands(program: Command): void {
  const connector = program.command('connector').description('Vault and network of a merchant');
  withCredentials(
    ofTenant(connector.command('set')).requiredOption('--kind <kind>', 'simulator or stripe', kindFlag),
  ).action(async (flags: CredentialFlags & { kind: 'simulator' | 'stripe' }) =>
    operate(flags, (operator) =>
      flags.kind === 'simulator' ? clear(operator, flags) : set(operator, flags),
    ),
  );
  withCredentials(ofTenant(connector.command('rotate'))).action(async (flags: CredentialFlags) =>
    operate(flags, (operator) => rotate(operator, flags)),
  );
  ofTenant(connector.command('check')).action(async (flags: TenantFlags) =>
    operate(flags, (operator) => check(operator, flags)),
  );
  withCommonFlags(
    connector
      .command('list')
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .option('--environment <name>', 'sandbox or live', environmentFlag),
  ).action(async (flags: Omit<TenantFlags, 'environment'> & { environment?: Environment }) =>
    operate(flags, (operator) => list(operator, flags)),
  );
}

const ofTenant = (command: Command): Command =>
  withCommonFlags(
    command
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption('--environment <name>', 'sandbox or live', environmentFlag),
  );

function withCredentials(command: Command): Command {
  for (const [flag, what] of Object.values(credentialFlags)) {
    command.option(`--${flag} <text>`, what).option(`--${flag}-file <path>`, 'the same, read from a file');
  }
  return command
    .option('--api-base <url>', 'another address of Stripe, in development only')
    .option('--vault-base <url>', 'another address of PCI Vault, in development only');
}

function kindFlag(text: string): 'simulator' | 'stripe' {
  if (text !== 'simulator' && text !== 'stripe')
    throw new OperatorError(problems.either('--kind', ['simulator', 'stripe']));
  return text;
}

async function clear(operator: Operator, flags: CredentialFlags) {
  const { settings, database, now } = operator;
  if (flags.environment === 'live' && settings.DEPLOYMENT === 'production') {
    throw new OperatorError(problems.liveNeedsStripe);
  }
  const given = credentialNames.find((name) => flags[name] ?? flags[`${name}File`]);
  if (given) throw new OperatorError(problems.uselessCredential(credentialFlags[given][0]));
  const tenant = tenantOf(flags);
  if (!(await clearConnector(database, tenant, byOperator(now)))) {
    throw new OperatorError(problems.noMerchant(flags.merchant));
  }
  return { ...tenant, connectorId: null, kind: 'simulator', webhookUrl: null };
}

async function set(operator: Operator, flags: CredentialFlags) {
  const { database, keyring, now } = operator;
  if (!(await isMerchant(database, flags.merchant)))
    throw new OperatorError(problems.noMerchant(flags.merchant));
  const given = givenCredentials(operator, flags);
  const missing = credentialNames.find((name) => name !== 'webhookSecret' && given[name] === undefined);
  if (missing) {
    const flag = credentialFlags[missing][0];
    throw new OperatorError(problems.missingCredential(flag));
  }
  const credentials = wholeCredentials({ webhookSecret: null, apiBase: null, vaultBase: null, ...given });
  const checked = await checkCredentials(credentials, flags.environment);
  const connector = await setConnector(
    database,
    {
      ...tenantOf(flags),
      newId: uuidv7(),
      kind: 'stripe',
      account: checked.account,
    },
    (id) => sealCredentials(keyring, id, credentials),
    byOperator(now),
  );
  if (!connector) throw new OperatorError(problems.noMerchant(flags.merchant));
  return { ...view(operator, connector), ...checked };
}

async function rotate(operator: Operator, flags: CredentialFlags) {
  const { database, keyring, now } = operator;
  const connector = await activeConnector(operator, flags);
  const before = openCredentials(keyring, connector);
  const given = givenCredentials(operator, flags);
  if (Object.keys(given).length === 0) throw new OperatorError(problems.nothingToRotate);
  const { until, ...secrets } = rotateWebhookSecret(
    { ...before, until: connector.webhookOverlapUntil },
    given.webhookSecret ?? null,
    new Date(now()),
  );
  const credentials = wholeCredentials({ ...before, ...given, ...secrets });
  const checked = await checkCredentials(credentials, flags.environment);
  if (checked.account !== connector.account) {
    throw new OperatorError(problems.otherAccount(checked.account, connector.account));
  }
  const credentialsSealed = sealCredentials(keyring, connector.id, credentials);
  const after = { credentialsSealed, webhookOverlapUntil: until };
  const rotated = await rotateConnector(database, connector, after, byOperator(now));
  if (!rotated) throw new OperatorError(problems.connectorChanged);
  return { ...view(operator, rotated), ...checked, ...overlapOf(operator, rotated) };
}

/** Returns until when the previous webhook secret is accepted, for printing; null: it is not accepted. */
const overlapOf = ({ now }: Operator, { webhookOverlapUntil: until }: ConnectorRecord) => ({
  previousWebhookSecretExpiresAt: until !== null && until.getTime() > now() ? until : null,
});

async function check(operator: Operator, flags: TenantFlags) {
  const connector = await findActiveConnector(operator.database, tenantOf(flags));
  if (!connector) {
    if (flags.environment === 'live' && operator.settings.DEPLOYMENT === 'production') {
      throw new OperatorError(problems.liveWithoutConnector);
    }
    return { ...tenantOf(flags), connectorId: null, kind: 'simulator', webhookUrl: null };
  }
  const credentials = openCredentials(operator.keyring, connector);
  const checked = await checkCredentials(credentials, flags.environment);
  if (checked.account !== connector.account) {
    throw new OperatorError(problems.accountChanged(checked.account, connector.account));
  }
  const checkedAt = new Date(operator.now());
  await markConnectorChecked(operator.database, connector.id, checkedAt);
  const webhooks = credentials.webhookSecret === null ? 'missing' : 'set';
  return {
    ...view(operator, { ...connector, checkedAt }),
    ...checked,
    webhookSecret: webhooks,
    ...overlapOf(operator, connector),
  };
}

async function list(
  operator: Operator,
  { merchant, environment }: { merchant: string; environment?: Environment },
) {
  const wanted = { merchantId: merchant, environment: environment ?? null };
  const connectors = await listConnectors(operator.database, wanted, null, 100);
  const active = environment && connectors.find((connector) => connector.active);
  return {
    connectors: connectors.map((connector) => view(operator, connector)),
    ...(environment ? { webhookUrl: active ? webhookUrl(operator, active.id) : null } : {}),
  };
}

const tenantOf = ({ merchant, environment }: TenantFlags) => ({ merchantId: merchant, environment });

async function activeConnector({ database }: Operator, flags: TenantFlags): Promise<ConnectorRecord> {
  const connector = await findActiveConnector(database, tenantOf(flags));
  if (!connector) throw new OperatorError(problems.noConnector);
  return connector;
}

const webhookUrl = ({ settings }: Operator, id: string): string =>
  `${settings.PUBLIC_URL}/callbacks/stripe/${id}`;

/** Returns a connector for printing, without its secrets. */
const view = (operator: Operator, connector: ConnectorRecord) => ({
  connectorId: connector.id,
  merchantId: connector.merchantId,
  environment: connector.environment,
  kind: connector.kind,
  account: connector.account,
  version: connector.version,
  active: connector.active,
  checkedAt: connector.checkedAt?.toISOString() ?? null,
  webhookUrl: webhookUrl(operator, connector.id),
});

/** Checks the credentials with the providers. Throws `OperatorError` with what the providers refuse. */
async function checkCredentials(credentials: StripeCredentials, environment: Environment) {
  const agent = createStripeAgent();
  try {
    return await checkStripePair(credentials, environment, agent);
  } catch (error) {
    if (error instanceof ConnectorProblem) throw new OperatorError(error.message);
    throw error;
  } finally {
    await agent.close();
  }
}

/** Returns the given credentials, each from a text or a file, with the given addresses. */
function givenCredentials({ settings }: Operator, flags: CredentialFlags): Partial<StripeCredentials> {
  const { apiBase, vaultBase } = flags;
  if ((apiBase ?? vaultBase) !== undefined && settings.DEPLOYMENT === 'production') {
    throw new OperatorError(problems.developmentOnly);
  }
  const given = credentialNames.flatMap((name) => {
    const text = credentialText(flags, name);
    return text === undefined ? [] : [[name, text]];
  });
  return {
    ...(Object.fromEntries(given) as Partial<StripeCredentials>),
    ...(apiBase === undefined ? {} : { apiBase: withoutSlash(apiBase) }),
    ...(vaultBase === undefined ? {} : { vaultBase: withoutSlash(vaultBase) }),
  };
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

function credentialText(flags: CredentialFlags, name: CredentialName): string | undefined {
  const [flag] = credentialFlags[name];
  const path = flags[`${name}File`];
  if (path === undefined) return flags[name];
  if (flags[name] !== undefined) throw new OperatorError(problems.textAndFile(flag));
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new OperatorError(problems.unreadableFile(`--${flag}-file`, path));
  }
  if (text.length > maxFileBytes) throw new OperatorError(problems.credentialFileTooLarge(flag));
  return text.trim();
}

function wholeCredentials(given: unknown): StripeCredentials {
  const parsed = stripeCredentialsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const name = String(parsed.error.issues[0]?.path[0]);
  const flag = Object.hasOwn(credentialFlags, name) ? credentialFlags[name as CredentialName][0] : name;
  throw new OperatorError(problems.invalidCredential(flag, parsed.error.issues[0]?.message ?? ''));
}
