import { SettingsPage, type TypedSettings } from './page.tsx';
import { ConnectorProblem } from '../../connectors/check.ts';
import { checkOwnConnector } from '../../connectors/check-own.ts';
import type { ConnectorCheck } from './connector.tsx';
import type { MailView } from './mail.tsx';
import { type MailPageDeps, mailRoutes, readMail } from './mail-handlers.ts';
import { describeConnector } from '../../db/merchants/connectors.ts';
import { loadSettings, type SettingsChange, updateSettings } from '../../db/merchants/merchants.ts';
import { type DeclineLimits, declineLimitNames, maxDeclines } from '../../domain/card-testing.ts';
import { Refusal } from '../../domain/refusals.ts';
import { paymentMethods } from '../../domain/statuses.ts';
import { checkOrigin } from '../../domain/urls.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import type { CachedKeys } from '../developers/handlers.ts';
import { readWorkingMethods, type WorkingMethodsDeps } from '../../operations/payments/working-methods.ts';
import { createConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import { fieldError, formError, type FormError } from '../parts/form-error.ts';
import { centsOf } from '../parts/format.ts';
import { isTimeZone } from '../parts/days.ts';
import { texts } from '../texts/en.ts';
import type { DashboardRoute } from '../route.ts';
import { byOf, type Clock, redirectTo, sendPage, type Visit } from '../visit.ts';

const text = texts.settings;

/** The most websites that may embed the checkout page. */
const maxOrigins = 50;

interface ShowDeps extends WorkingMethodsDeps {
  tenants: TenantReads;
  simulatedLive: boolean;
}

interface SaveDeps extends ShowDeps, Clock {
  keys: CachedKeys;
}

async function show(
  deps: ShowDeps,
  visit: Visit,
  more: {
    why?: FormError;
    typed?: TypedSettings;
    check?: ConnectorCheck | null;
    mail?: MailView['typed'];
    /** The address that a test mail was sent to. */
    sentTo?: string;
  } = {},
) {
  const { tenant } = visit;
  const { why, typed = {}, check = null, sentTo } = more;
  const read = await deps.tenants.read(tenant, async (database) => ({
    settings: await loadSettings(database, tenant),
    own: await describeConnector(database, tenant),
  }));
  const { settings, own } = read;
  const working = await readWorkingMethods(deps, tenant);
  const connector = {
    merchantId: tenant.merchantId,
    connector: own,
    working,
    simulated: tenant.environment === 'sandbox' || deps.simulatedLive,
    check,
  };
  if (!settings) throw new Refusal('not_found');
  const mail = await readMail(deps, visit, more.mail ?? {});
  const done = sentTo === undefined ? {} : { notice: tested(sentTo) };
  return sendPage(visit, { title: text.title, section: 'settings', ...done, ...why }, (frame) =>
    SettingsPage({ frame, settings, typed, connector, mail }),
  );
}

const tested = (address: string) => ({ kind: 'good', text: text.mail.tested(address) }) as const;

/** Saves a change in the same way as the operator's command. */
async function save(
  deps: Omit<SaveDeps, keyof Omit<ShowDeps, 'database'>>,
  visit: Visit,
  change: SettingsChange,
) {
  const { merchantId, environment } = visit.tenant;
  const saved = await updateSettings(deps.database, merchantId, environment, change, byOf(deps, visit));
  if (!saved) throw new Refusal('not_found');
  deps.keys.clear();
  return redirectTo(visit, '/settings', 'settingsSaved');
}

/** POST /settings/methods: at least one method that customers can pay with now. */
async function saveMethods(deps: SaveDeps, visit: Visit) {
  const methods = paymentMethods.filter((method) => visit.form.getAll('methods').includes(method));
  const working = await readWorkingMethods(deps, visit.tenant);
  if (!methods.some((method) => working.includes(method))) {
    return show(deps, visit, { why: formError(text.noMethod) });
  }
  return save(deps, visit, { methods });
}

async function saveOrigins(deps: SaveDeps & { production: boolean }, visit: Visit) {
  const origins = (visit.form.get('origins') ?? '').replaceAll('\r\n', '\n');
  const reject = (why: string) => show(deps, visit, { why: fieldError('origins', why), typed: { origins } });
  const lines = origins.split(/[\s,]+/).filter((line) => line !== '');
  if (lines.length > maxOrigins) return reject(text.tooManyOrigins(maxOrigins));
  const embeddingOrigins: string[] = [];
  for (const line of lines) {
    const checked = checkOrigin(line, { allowHttpLoopback: !deps.production });
    if (!checked.ok) return reject(text.invalidOrigin(line));
    embeddingOrigins.push(checked.origin);
  }
  return save(deps, visit, { embeddingOrigins: [...new Set(embeddingOrigins)] });
}

async function saveTimeZone(deps: SaveDeps, visit: Visit) {
  const timeZone = (visit.form.get('timeZone') ?? '').trim();
  if (!isTimeZone(timeZone)) {
    return show(deps, visit, { why: fieldError('time-zone', text.unknownTimeZone), typed: { timeZone } });
  }
  return save(deps, visit, { timeZone });
}

/** POST /settings/declines: the limits of declines, each a whole number; 0 means never. Owners only. */
async function saveDeclines(deps: SaveDeps, visit: Visit) {
  const limits: Partial<DeclineLimits> = {};
  for (const name of declineLimitNames) {
    const typed = (visit.form.get(name) ?? '').trim();
    if (!/^\d{1,7}$/.test(typed) || Number(typed) > maxDeclines) {
      const why = fieldError(name, text.invalidDeclines(maxDeclines));
      return show(deps, visit, { why, typed: { declines: true } });
    }
    limits[name] = Number(typed);
  }
  return save(deps, visit, limits);
}

/** POST /settings/refund-approval: an amount in dollars; empty means never. Owners only. ADR 0057. */
async function saveRefundApproval(deps: SaveDeps, visit: Visit) {
  const typed = (visit.form.get('refundApproval') ?? '').trim();
  const refundApprovalCents = typed === '' ? null : centsOf(typed);
  if (typed !== '' && refundApprovalCents === null) {
    const why = fieldError('refundApproval', text.invalidRefundApproval);
    return show(deps, visit, { why, typed: { refundApproval: typed } });
  }
  return save(deps, visit, { refundApprovalCents });
}

/** POST /settings/refund-late: whether late payments are refunded automatically. Owners only. */
const saveRefundLate = (deps: SaveDeps, visit: Visit) =>
  save(deps, visit, { refundLate: visit.form.get('on') === 'on' });

/** Turns custom mode on, but only if its phrase was typed. docs/dashboard.md. */
async function saveCustomMode(deps: SaveDeps, visit: Visit) {
  if (visit.form.get('on') !== 'on') return save(deps, visit, { customMode: false });
  const typed = (visit.form.get('confirm') ?? '').trim().toLowerCase();
  if (typed !== text.customModePhrase.toLowerCase()) {
    const why = fieldError('custom-mode-confirm', text.customModeNotConfirmed(text.customModePhrase));
    return show(deps, visit, { why });
  }
  return save(deps, visit, { customMode: true });
}

const saveCustomActions = (deps: SaveDeps, visit: Visit) =>
  save(deps, visit, { customActions: visit.form.get('on') === 'on' });

/** The maximum number of connector checks at the same time, because each of them calls the providers. */
const checkLimit = createConcurrencyLimit({ all: 4, each: 1 });

/** POST /settings/connector/check: checks the credentials at the provider. Changes nothing. */
async function checkConnector(deps: ShowDeps & CheckDeps, visit: Visit) {
  const leave = checkLimit.take(visit.tenant.merchantId);
  if (leave === null) {
    return show(deps, visit, { why: formError(text.checkRunning, 429) });
  }
  try {
    const checked = await checkOwnConnector(deps, visit.tenant);
    return await show(deps, visit, { check: checked?.can ?? null });
  } catch (error) {
    if (error instanceof ConnectorProblem) {
      return await show(deps, visit, { why: formError(capitalized(error.message), 409) });
    }
    throw error;
  } finally {
    leave();
  }
}

/** Returns a problem of a connector as a sentence. */
const capitalized = (problem: string): string =>
  `${problem.charAt(0).toUpperCase()}${problem.slice(1)}${problem.endsWith('.') ? '' : '.'}`;

type CheckDeps = Parameters<typeof checkOwnConnector>[0];

const saves = { method: 'POST', permission: 'settings', fresh: true } as const;

export type SettingsDeps = SaveDeps & CheckDeps & MailPageDeps & { production: boolean };

export const settingsRoutes = (deps: SettingsDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/settings', permission: 'read', handle: (visit) => show(deps, visit) },
  { ...saves, path: '/settings/connector/check', handle: (visit) => checkConnector(deps, visit) },
  { ...saves, path: '/settings/methods', handle: (visit) => saveMethods(deps, visit) },
  { ...saves, path: '/settings/origins', handle: (visit) => saveOrigins(deps, visit) },
  { ...saves, path: '/settings/time-zone', fresh: false, handle: (visit) => saveTimeZone(deps, visit) },
  {
    ...saves,
    path: '/settings/declines',
    permission: 'team',
    handle: (visit) => saveDeclines(deps, visit),
  },
  {
    ...saves,
    path: '/settings/refund-approval',
    permission: 'team',
    handle: (visit) => saveRefundApproval(deps, visit),
  },
  {
    ...saves,
    path: '/settings/refund-late',
    permission: 'team',
    handle: (visit) => saveRefundLate(deps, visit),
  },
  { ...saves, path: '/settings/custom-mode', handle: (visit) => saveCustomMode(deps, visit) },
  { ...saves, path: '/settings/custom-actions', handle: (visit) => saveCustomActions(deps, visit) },
  ...mailRoutes(deps, (visit, more) => show(deps, visit, more)),
];
