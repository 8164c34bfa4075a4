import { HomePage } from './page.tsx';
import type { Queryable } from '../../db/server/database.ts';
import { latePayments, paymentFigures, undecidedPayments } from '../../db/merchants/dashboard-home.ts';
import { loadMailSettings } from '../../db/mail/mail-settings.ts';
import { disputesToHandle } from '../../db/disputes/dispute-reads.ts';
import { listUnexpectedCaptures } from '../../db/payments/unexpected-captures.ts';
import { newestPayments, paymentReferences, type Tenant } from '../../db/payments/payments.ts';
import { listEndpoints } from '../../db/webhooks/endpoints.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { texts } from '../texts/en.ts';
import type { DashboardRoute } from '../route.ts';
import { type Clock, sendPage, type Visit } from '../visit.ts';

/**
 * Time without a result from the network after which a payment needs attention, in ms. docs/reliability.md.
 */
const undecidedMs = 15 * 60_000;
const dayMs = 86_400_000;
const figureDays = 14;

async function disputesToAnswer(database: Queryable, tenant: Tenant) {
  const { rows: disputes } = await disputesToHandle(database, tenant, 'needsResponse', null, 10);
  const ids = disputes.map(({ paymentId }) => paymentId);
  return { disputes, references: await paymentReferences(database, tenant, ids) };
}

export interface HomeDeps extends Clock {
  lists: TenantReads;
}

/** GET /: what needs attention, and the figures of the last days. */
async function home({ lists: reads, now: clock }: HomeDeps, visit: Visit) {
  const { tenant } = visit;
  const now = new Date(clock());
  const ago = (ms: number): Date => new Date(now.getTime() - ms);
  // Read apart, so that a slow count does not block the rest of the page.
  const [lists, days] = await Promise.all([
    reads.read(tenant, async (database) => ({
      ...(await disputesToAnswer(database, tenant)),
      endpoints: await listEndpoints(database, tenant, { page: 1, perPage: 100 }),
      undecided: await undecidedPayments(database, tenant, ago(undecidedMs)),
      late: await latePayments(database, tenant, ago(7 * dayMs)),
      captures: await listUnexpectedCaptures(database, tenant),
      mail: await loadMailSettings(database, tenant),
      newest: await newestPayments(database, tenant, null, 8),
    })),
    reads.read(tenant, (database) => paymentFigures(database, tenant, now, figureDays)).catch(() => null),
  ]);
  const { endpoints, ...rest } = lists;
  const failing = endpoints.endpoints.filter(
    ({ status, disabledReason, failingSince }) =>
      failingSince !== null || (status === 'disabled' && /gone|failing/.test(disabledReason ?? '')),
  );
  const data = { ...rest, failing, days };
  return sendPage(visit, { title: texts.home.title, section: 'home' }, (frame) => HomePage({ frame, data }));
}

export const homeRoutes = (deps: HomeDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '', permission: 'read', handle: (visit) => home(deps, visit) },
];
