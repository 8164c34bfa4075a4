import { HomePage } from './page.tsx';
import { latePayments, readSetUp, undecidedPayments } from '../../db/merchants/dashboard-home.ts';
import { listMarks } from '../../db/merchants/card-testing.ts';
import { loadMailSettings } from '../../db/mail/mail-settings.ts';
import { type DisputePosition, disputesToHandle } from '../../db/disputes/dispute-reads.ts';
import { listUnexpectedCaptures } from '../../db/payments/unexpected-captures.ts';
import { newestPayments, paymentReferences, type Tenant } from '../../db/payments/payments.ts';
import { listEndpoints } from '../../db/webhooks/endpoints.ts';
import type { Database, Queryable } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { type DeclineCount, readDeclines, readReport, type ReportRow } from '../../db/merchants/reports.ts';
import type { Environment } from '../../domain/statuses.ts';
import { dayOfInstant, dayStart } from '../parts/days.ts';
import { clearCardTesting } from '../../operations/payments/card-testing.ts';
import { choiceOf, ignoredFilters } from '../parts/paging.ts';
import { texts } from '../texts/en.ts';
import { type Range, ranges, type SpanFigures } from './figures.tsx';
import type { SetUpProgress } from './set-up.tsx';
import type { DashboardRoute } from '../route.ts';
import { byOf, type Clock, redirectTo, sendPage, type Visit } from '../visit.ts';

/** How long an outcome may be unknown before the payment needs attention, in ms. docs/reliability.md. */
const undecidedMs = 15 * 60_000;
const dayMs = 86_400_000;

/** The maximum number of disputes on the home page; a link leads to the others. */
const maxDisputes = 5;

/** Returns the disputes that need a response. Those whose deadline has not passed come first. */
async function disputesToAnswer(database: Queryable, tenant: Tenant, now: Date) {
  const read = (position: DisputePosition | null) =>
    disputesToHandle(database, tenant, 'needsResponse', { part: 'needsResponse', position }, maxDisputes + 1);
  const { rows: open } = await read({
    us: now.getTime() * 1_000,
    id: '00000000-0000-0000-0000-000000000000',
  });
  const late =
    open.length > maxDisputes
      ? []
      : (await read(null)).rows.filter(({ evidenceDueAt }) => evidenceDueAt < now);
  const all = [...open, ...late];
  const disputes = all.slice(0, maxDisputes);
  const ids = disputes.map(({ paymentId }) => paymentId);
  return {
    disputes,
    hasMoreDisputes: all.length > maxDisputes,
    references: await paymentReferences(database, tenant, ids),
  };
}

export interface HomeDeps extends Clock {
  lists: TenantReads;
  database: Database;
}

/** Returns the span of a range until now and that of the previous range, in days of a zone. */
function spansOf(range: Range, now: Date, timeZone: string) {
  const many = range === 'today' ? 1 : Number(range);
  const today = dayOfInstant(now, timeZone);
  const dayBack = (days: number): string =>
    new Date(Date.parse(`${today}T00:00:00Z`) - days * dayMs).toISOString().slice(0, 10);
  const from = dayStart(dayBack(many - 1), timeZone);
  const before = dayStart(dayBack(2 * many - 1), timeZone);
  return {
    days: Array.from({ length: many }, (_, index) => dayBack(many - 1 - index)),
    now: { from, until: now },
    // Until the same time of day, so that a day that has just begun does not look bad.
    before: { from: before, until: new Date(before.getTime() + (now.getTime() - from.getTime())) },
  };
}

const sumOf = (rows: readonly ReportRow[], declines: readonly DeclineCount[]): SpanFigures => {
  const sum = (pick: (row: ReportRow) => number): number => rows.reduce((all, row) => all + pick(row), 0);
  return {
    takenCents: sum(({ takenCents }) => takenCents),
    refundedCents: sum(({ refundedCents }) => refundedCents),
    disputedCents: sum(({ disputedCents }) => disputedCents),
    paid: sum(({ paid }) => paid),
    failed: sum(({ failed }) => failed),
    declines,
  };
};

async function figuresOf(lists: TenantReads, { tenant, frame }: Visit, range: Range, now: Date) {
  const { timeZone } = frame;
  const spans = spansOf(range, now, timeZone);
  const read = (span: { from: Date; until: Date }) =>
    lists.read(tenant, async (database) => ({
      rows: await readReport(database, tenant, { ...span, timeZone, by: 'day' }),
      declines: await readDeclines(database, tenant, span),
    }));
  const [those, before] = [await read(spans.now), await read(spans.before)];
  return {
    now: sumOf(those.rows, those.declines),
    before: sumOf(before.rows, before.declines),
    days: spans.days.map((day) => {
      const row = those.rows.find(({ name }) => name === day);
      return { day, paid: row?.paid ?? 0, takenCents: row?.takenCents ?? 0 };
    }),
  };
}

/** Returns the merchant's progress in setting up; null after its first live payment. */
async function progressOf(lists: TenantReads, { tenant, session }: Visit): Promise<SetUpProgress | null> {
  const read = (environment: Environment) => {
    const of = { ...tenant, environment };
    return lists.read(of, (database) => readSetUp(database, of, session.member.id));
  };
  const live = await read('live');
  if (live.paid) return null;
  const here = tenant.environment === 'live' ? live : await read(tenant.environment);
  return { ...here, connector: live.connector };
}

/** GET /: shows what needs attention, and the figures of a range (`?range=today|7|30|90`). */
async function home({ lists: reads, now: clock }: Omit<HomeDeps, 'database'>, visit: Visit) {
  const { tenant } = visit;
  const now = new Date(clock());
  const ago = (ms: number): Date => new Date(now.getTime() - ms);
  const range = choiceOf(visit, 'range', ranges) || '30';
  // Read separately, so that slow sums do not block the rest of the page.
  const [lists, figures, progress] = await Promise.all([
    reads.read(tenant, async (database) => ({
      ...(await disputesToAnswer(database, tenant, now)),
      endpoints: await listEndpoints(database, tenant, { page: 1, perPage: 100 }),
      undecided: await undecidedPayments(database, tenant, ago(undecidedMs)),
      late: await latePayments(database, tenant, ago(7 * dayMs)),
      captures: await listUnexpectedCaptures(database, tenant),
      cardTesting: await listMarks(database, tenant),
      mail: await loadMailSettings(database, tenant),
      newest: await newestPayments(database, tenant, null, 8),
    })),
    figuresOf(reads, visit, range, now).catch(() => null),
    progressOf(reads, visit),
  ]);
  const { endpoints, newest, ...rest } = lists;
  const failing = endpoints.endpoints.filter(
    ({ status, disabledReason, failingSince }) =>
      failingSince !== null || (status === 'disabled' && /gone|failing/.test(disabledReason ?? '')),
  );
  const data = { attention: { ...rest, failing }, range, figures, progress, newest };
  return sendPage(
    visit,
    { title: texts.home.title, section: 'home', notice: ignoredFilters(visit, { range: ranges }) },
    (frame) => HomePage({ frame, data }),
  );
}

/**
 * POST /card-testing/clear: deletes the counted declines, so that the shop accepts payments again at once.
 * Owners only.
 */
async function clear(deps: Pick<HomeDeps, 'database' | 'now'>, visit: Visit) {
  await clearCardTesting(deps.database, visit.tenant, byOf(deps, visit));
  return redirectTo(visit, '', 'cardTestingCleared');
}

export const homeRoutes = (deps: HomeDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '', permission: 'read', handle: (visit) => home(deps, visit) },
  {
    method: 'POST',
    path: '/card-testing/clear',
    permission: 'team',
    fresh: true,
    handle: (visit) => clear(deps, visit),
  },
];
