import { Readable } from 'node:stream';
import { ReconciliationPage } from './reconciliation-page.tsx';
import { movementsPart, ReconciliationLink, type ReportQuery, ReportsPage } from './page.tsx';
import { readDeclines, readReport, reportGroups, type ReportRow } from '../../db/merchants/reports.ts';
import { listOpenDifferences } from '../../db/reconciliation/differences.ts';
import { listRuns } from '../../db/reconciliation/runs.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { Refusal } from '../../domain/refusals.ts';
import { createConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import { csvOfRows } from '../../operations/lists-csv.ts';
import { movementsCsv } from '../../operations/movements-csv.ts';
import { dayBefore, dayOfInstant, nextDay, spanOf, startOfMonth } from '../parts/days.ts';
import { netOf } from '../parts/format.ts';
import type { Tab } from '../parts/list.tsx';
import { addressWith, choiceOf, ignoredFilters } from '../parts/paging.ts';
import { texts } from '../texts/en.ts';
import type { Notice } from '../parts/view.ts';
import type { DashboardRoute } from '../route.ts';
import { redirectTo, sendPage, type Visit } from '../visit.ts';

const text = texts.reports;

/** The maximum number of days in a report by day. */
const maxDays = 400;

/** Reads the address. If it names nothing, the report is of the current month, by day. */
function readQuery(visit: Visit): { query: ReportQuery; from: Date; until: Date; trouble: string | null } {
  const { timeZone, nowMs } = visit.frame;
  const today = dayOfInstant(new Date(nowMs), timeZone);
  const typed = (name: string, otherwise: string): string => visit.query.get(name) ?? otherwise;
  const query = {
    from: typed('from', startOfMonth(today)),
    to: typed('to', today),
    by: choiceOf(visit, 'by', reportGroups) || 'day',
  } as const;
  const [first, last] = [spanOf(query.from, timeZone), spanOf(query.to, timeZone)];
  const nothing = { from: new Date(nowMs), until: new Date(nowMs) };
  if (first === null || last === null) return { query, ...nothing, trouble: text.invalidDays };
  const span = { from: first.start, until: last.end };
  if (span.from >= span.until) return { query, ...nothing, trouble: texts.payments.fromAfterTo };
  const days = (span.until.getTime() - span.from.getTime()) / 86_400_000;
  const isLong = query.by === 'day' && days > maxDays;
  return { query, ...(isLong ? nothing : span), trouble: isLong ? text.tooManyDays(maxDays) : null };
}

/** Returns the links to this month, the last month and this year. */
function presetsOf(visit: Visit, { from, to }: ReportQuery): Tab[] {
  const today = dayOfInstant(new Date(visit.frame.nowMs), visit.frame.timeZone);
  const lastDay = dayBefore(startOfMonth(today));
  const spans = [
    { label: text.thisMonth, from: startOfMonth(today), to: today },
    { label: text.lastMonth, from: startOfMonth(lastDay), to: lastDay },
    { label: text.thisYear, from: `${today.slice(0, 4)}-01-01`, to: today },
  ];
  return spans.map((span) => ({
    label: span.label,
    href: addressWith(visit, '/reports', { from: span.from, to: span.to }),
    isCurrent: span.from === from && span.to === to,
    rows: null,
  }));
}

/** Returns the links to the same report by day, month and method. */
const groupsOf = (visit: Visit, { by }: ReportQuery): Tab[] =>
  reportGroups.map((group) => ({
    label: text.byGroup(text.groups[group]),
    href: `${addressWith(visit, '/reports', { by: group })}#${movementsPart}`,
    isCurrent: group === by,
    rows: null,
  }));

export interface ReportsDeps {
  lists: TenantReads;
}

/** GET /reports: the captured, refunded and disputed sums of a span, and why attempts were declined. */
async function show({ lists }: ReportsDeps, visit: Visit) {
  const { query, from, until, trouble } = readQuery(visit);
  const { timeZone } = visit.frame;
  const { rows, declines } = await lists.read(visit.tenant, async (database) => ({
    rows: await readReport(database, visit.tenant, { from, until, timeZone, by: query.by }),
    declines: await readDeclines(database, visit.tenant, { from, until }),
  }));
  const notice: Notice | null =
    trouble === null ? ignoredFilters(visit, { by: reportGroups }) : { kind: 'bad', text: trouble };
  const span = { from: query.from, to: query.to };
  const csvAt = (path: string): string => addressWith(visit, path, { ...span, by: '' });
  return sendPage(
    visit,
    {
      title: text.title,
      section: 'reports',
      notice,
      aside: ReconciliationLink({ base: visit.frame.base }),
    },
    (frame) =>
      ReportsPage({
        frame,
        query,
        rows,
        declines,
        presets: presetsOf(visit, query),
        groups: groupsOf(visit, query),
        csv: {
          report: addressWith(visit, '/reports.csv', span),
          payments: csvAt('/payments.csv'),
          refunds: csvAt('/refunds.csv'),
          disputes: csvAt('/disputes.csv'),
          movements: csvAt('/movements.csv'),
        },
      }),
  );
}

const csvRow = (row: ReportRow) => ({ ...row, netCents: netOf(row) });

/** GET /reports.csv: the same figures. An invalid span redirects to the page. */
async function csv({ lists }: ReportsDeps, visit: Visit) {
  const { query, from, until, trouble } = readQuery(visit);
  if (trouble !== null) return redirectTo(visit, `/reports?${visit.query.toString()}`);
  const { timeZone } = visit.frame;
  const rows = await lists.read(visit.tenant, (database) =>
    readReport(database, visit.tenant, { from, until, timeZone, by: query.by }),
  );
  const columns = ['takenCents', 'refundedCents', 'disputedCents', 'netCents', 'paid', 'failed'];
  return visit.reply
    .type('text/csv; charset=utf-8; header=present')
    .header('Content-Disposition', 'attachment; filename="report.csv"')
    .send(csvOfRows(['name', ...columns], rows.map(csvRow), true));
}

const csvLimit = createConcurrencyLimit({ all: 10, each: 2 });

/**
 * GET /movements.csv: the movements that count towards the days of a span. An invalid span redirects to the
 * page.
 */
async function movements({ lists }: ReportsDeps, visit: Visit) {
  const { from, until, trouble } = readQuery(visit);
  if (trouble !== null) return redirectTo(visit, `/reports?${visit.query.toString()}`);
  const { timeZone } = visit.frame;
  const lastDay = dayOfInstant(new Date(until.getTime() - 1), timeZone);
  const leave = csvLimit.take(visit.tenant.merchantId);
  if (leave === null) throw new Refusal('rate_limited', { retryAfterSeconds: 5 });
  const days = {
    from: new Date(`${dayOfInstant(from, timeZone)}T00:00:00Z`),
    until: new Date(`${nextDay(lastDay)}T00:00:00Z`),
  };
  const stream = Readable.from(movementsCsv(lists, visit.tenant, days), { highWaterMark: 1 });
  stream.once('close', leave);
  if (visit.reply.raw.destroyed) stream.destroy();
  return visit.reply
    .type('text/csv; charset=utf-8; header=present')
    .header('Content-Disposition', 'attachment; filename="movements.csv"')
    .send(stream);
}

/** The maximum number of shown differences, and of runs. */
const shownDifferences = 200;
const shownRuns = 30;

/** GET /reports/reconciliation: the newest comparisons with the provider, and their differences. */
async function reconciliation({ lists }: ReportsDeps, visit: Visit) {
  const { tenant } = visit;
  const { runs, differences } = await lists.read(tenant, async (database) => ({
    runs: await listRuns(database, tenant, shownRuns),
    differences: await listOpenDifferences(database, tenant, shownDifferences),
  }));
  return sendPage(
    visit,
    {
      title: text.reconciliation.title,
      section: 'reports',
      back: { href: `${visit.frame.base}/reports`, label: text.title },
    },
    (frame) => ReconciliationPage({ frame, runs, differences }),
  );
}

export const reportRoutes = (deps: ReportsDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/reports', permission: 'read', handle: (visit) => show(deps, visit) },
  {
    method: 'GET',
    path: '/reports/reconciliation',
    permission: 'read',
    handle: (visit) => reconciliation(deps, visit),
  },
  {
    method: 'GET',
    path: '/movements.csv',
    permission: 'read',
    handle: (visit) => movements(deps, visit),
  },
  { method: 'GET', path: '/reports.csv', permission: 'read', handle: (visit) => csv(deps, visit) },
];
