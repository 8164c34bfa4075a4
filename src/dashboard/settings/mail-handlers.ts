import type { Keyring } from '../../crypto/keyring.ts';
import { findMemberEmail } from '../../db/members/member-emails.ts';
import { loadMailSettings, removeMailSettings, setMailSettings } from '../../db/mail/mail-settings.ts';
import { readOutbox } from '../../db/mail/mails.ts';
import type { Database } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { isMailable } from '../../domain/mail.ts';
import { checkMailServer, sealMailUrl } from '../../mail/mail-server.ts';
import { mailFix } from '../../mail/messages/fixes.ts';
import { sendTestMail } from '../../mail/test-mail.ts';
import { createConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import { fieldError, type FormError, formError } from '../parts/form-error.ts';
import type { DashboardRoute } from '../route.ts';
import { texts } from '../texts/en.ts';
import { byOf, type Clock, redirectTo, type Visit } from '../visit.ts';
import type { MailView } from './mail.tsx';

const text = texts.settings.mail;

export interface MailPageDeps extends Clock {
  database: Database;
  keyring: Keyring;
  production: boolean;
}

/** Shows the settings again, with the reason why the form was refused or with its result. */
export type ShowAgain = (
  visit: Visit,
  more: { why?: FormError; sentTo?: string; mail?: MailView['typed'] },
) => Promise<unknown>;

/** Returns the mail settings and outbox of the tenant for the page. */
export async function readMail(
  { tenants, database }: { tenants: TenantReads; database: Database },
  visit: Visit,
  typed: MailView['typed'],
): Promise<MailView> {
  const { tenant, session } = visit;
  const read = await tenants.read(tenant, async (reads) => ({
    settings: await loadMailSettings(reads, tenant),
    outbox: await readOutbox(reads, tenant),
  }));
  return { ...read, ownAddress: await findMemberEmail(database, session.member.id), typed };
}

const rulesOf = ({ production }: MailPageDeps) => ({ allowLoopback: !production });

/** POST /settings/mail: sets the mail server. */
async function save(deps: MailPageDeps, visit: Visit, again: ShowAgain) {
  const { tenant, form } = visit;
  const url = (form.get('url') ?? '').trim();
  const from = (form.get('from') ?? '').trim();
  const checked = checkMailServer({ url, from }, rulesOf(deps));
  if (!checked.ok) {
    const why =
      checked.field === 'url'
        ? fieldError('mail-url', text.invalidUrl(checked.reason))
        : fieldError('mail-from', text.invalidFrom);
    return again(visit, { why, mail: { from } });
  }
  const { host, port } = checked.server;
  const urlSealed = sealMailUrl(deps.keyring, tenant, url);
  await setMailSettings(
    deps.database,
    { ...tenant, host, port, fromAddress: from, urlSealed },
    byOf(deps, visit),
  );
  return redirectTo(visit, '/settings', 'mailSaved');
}

/** POST /settings/mail/remove: no more mails are sent. */
async function remove(deps: MailPageDeps, visit: Visit) {
  await removeMailSettings(deps.database, visit.tenant, byOf(deps, visit));
  return redirectTo(visit, '/settings', 'mailRemoved');
}

/** The maximum number of tests at the same time, because each of them waits for a mail server. */
const testLimit = createConcurrencyLimit({ all: 4, each: 1 });

/**
 * POST /settings/mail/test: sends a mail at once, so that the page can show what is wrong. Changes nothing.
 */
async function test(deps: MailPageDeps, visit: Visit, again: ShowAgain) {
  const to = (visit.form.get('to') ?? '').trim();
  const reject = (why: FormError) => again(visit, { why, mail: { to } });
  if (!isMailable(to)) return reject(fieldError('mail-test-to', text.invalidTo));
  const leave = testLimit.take(visit.tenant.merchantId);
  if (leave === null) return reject(formError(text.testRunning, 429));
  try {
    const connect = { rules: rulesOf(deps) };
    const fault = await sendTestMail({ ...deps, connect }, visit.tenant, to);
    if (fault === 'unset') return await reject(formError(text.noServer, 409));
    if (fault !== null) return await reject(formError(mailFix(fault), 409));
    return await again(visit, { sentTo: to, mail: { to } });
  } finally {
    leave();
  }
}

const changes = { method: 'POST', permission: 'settings', fresh: true } as const;

export const mailRoutes = (deps: MailPageDeps, again: ShowAgain): readonly DashboardRoute[] => [
  { ...changes, path: '/settings/mail', isSecret: true, handle: (visit) => save(deps, visit, again) },
  { ...changes, path: '/settings/mail/remove', handle: (visit) => remove(deps, visit) },
  { ...changes, path: '/settings/mail/test', handle: (visit) => test(deps, visit, again) },
];
