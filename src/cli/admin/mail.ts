import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { loadMailSettings, removeMailSettings, setMailSettings } from '../../db/mail/mail-settings.ts';
import { readOutbox } from '../../db/mail/mails.ts';
import { isMailable } from '../../domain/mail.ts';
import type { Environment } from '../../domain/statuses.ts';
import { checkMailServer, sealMailUrl } from '../../mail/mail-server.ts';
import { mailFix } from '../../mail/messages/fixes.ts';
import { sendTestMail } from '../../mail/test-mail.ts';
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

interface SetFlags extends TenantFlags {
  url?: string;
  urlFile?: string;
  from: string;
}

/** `mail …`: the server that sends a merchant's mails. docs/mail.md. */
export function mailCommands(program: Command): void {
  const mail = program.command('mail').description('Mail server of a merchant');
  ofTenant(mail.command('set'))
    .option('--url <url>', 'smtp:// or smtps:// with user, password, host and port')
    .option('--url-file <path>', 'the same, read from a file; - reads standard input')
    .requiredOption('--from <address>', 'address that the mails come from')
    .action(async (flags: SetFlags) => operate(flags, (operator) => set(operator, flags)));
  ofTenant(mail.command('show')).action(async (flags: TenantFlags) =>
    operate(flags, (operator) => show(operator, flags)),
  );
  ofTenant(mail.command('remove')).action(async (flags: TenantFlags) =>
    operate(flags, (operator) => remove(operator, flags)),
  );
  ofTenant(mail.command('test'))
    .requiredOption('--to <address>', 'address that the test mail goes to')
    .action(async (flags: TenantFlags & { to: string }) =>
      operate(flags, (operator) => test(operator, flags)),
    );
}

const ofTenant = (command: Command): Command =>
  withCommonFlags(
    command
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption('--environment <name>', 'sandbox or live', environmentFlag),
  );

const tenantOf = ({ merchant, environment }: TenantFlags) => ({ merchantId: merchant, environment });

const rulesOf = ({ settings }: Operator) => ({ allowLoopback: settings.DEPLOYMENT === 'development' });

async function set(operator: Operator, flags: SetFlags) {
  const { database, keyring, now } = operator;
  const tenant = tenantOf(flags);
  const url = urlOf(flags);
  const checked = checkMailServer({ url, from: flags.from }, rulesOf(operator));
  if (!checked.ok) {
    throw new OperatorError(
      checked.field === 'url' ? problems.invalidUrl(checked.reason) : problems.mailFrom(checked.reason),
    );
  }
  const { host, port } = checked.server;
  const urlSealed = sealMailUrl(keyring, tenant, url);
  const stored = await setMailSettings(
    database,
    { ...tenant, host, port, fromAddress: flags.from, urlSealed },
    byOperator(now),
  );
  if (!stored) throw new OperatorError(problems.noMerchant(flags.merchant));
  return show(operator, flags);
}

/**
 * Returns the URL, which contains the password. A file or standard input keeps it out of the shell's history.
 */
function urlOf({ url, urlFile }: SetFlags): string {
  if (url !== undefined && urlFile !== undefined) throw new OperatorError(problems.textAndFile('url'));
  if (url !== undefined) return url;
  if (urlFile === undefined) throw new OperatorError(problems.missingCredential('url'));
  try {
    return readFileSync(urlFile === '-' ? 0 : urlFile, 'utf8').trim();
  } catch {
    throw new OperatorError(problems.unreadableFile('--url-file', urlFile));
  }
}

async function show({ database }: Operator, flags: TenantFlags) {
  const tenant = tenantOf(flags);
  const settings = await loadMailSettings(database, tenant);
  if (settings === null) return { ...tenant, server: null };
  const { waiting, aside } = await readOutbox(database, tenant);
  const { problem, replyCode } = settings;
  return {
    ...tenant,
    server: `${settings.host}:${settings.port}`,
    from: settings.fromAddress,
    setAt: settings.setAt.toISOString(),
    lastSentAt: settings.lastSentAt?.toISOString() ?? null,
    waiting,
    failingSince: settings.failingSince?.toISOString() ?? null,
    problem: problem && mailFix({ problem, replyCode }),
    aside: aside.map((mail) => ({
      kind: mail.kind,
      endedAt: mail.endedAt.toISOString(),
      problem: mail.problem && mailFix({ problem: mail.problem, replyCode: mail.replyCode }),
    })),
  };
}

async function remove({ database, now }: Operator, flags: TenantFlags) {
  const tenant = tenantOf(flags);
  if (!(await removeMailSettings(database, tenant, byOperator(now)))) {
    throw new OperatorError(problems.noMerchant(flags.merchant));
  }
  return { ...tenant, server: null };
}

async function test(operator: Operator, flags: TenantFlags & { to: string }) {
  if (!isMailable(flags.to)) throw new OperatorError(problems.mailTo);
  const { database, keyring, now } = operator;
  const fault = await sendTestMail(
    { database, keyring, connect: { rules: rulesOf(operator) }, now },
    tenantOf(flags),
    flags.to,
  );
  if (fault === 'unset') throw new OperatorError(problems.noMailServer);
  if (fault !== null) throw new OperatorError(mailFix(fault));
  return { ...tenantOf(flags), sentTo: flags.to };
}
