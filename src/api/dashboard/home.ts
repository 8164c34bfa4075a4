import { HomePage } from '../../dashboard/pages/home.tsx';
import { latePayments, paymentFigures, undecidedPayments } from '../../db/dashboard-home.ts';
import { dueDisputes } from '../../db/dispute-reads.ts';
import { newestPayments } from '../../db/payments.ts';
import { listEndpoints } from '../../db/webhooks.ts';
import type { ApiDeps } from '../deps.ts';
import type { DashboardRoute } from './route.ts';
import { sendPage, type Visit } from './visit.ts';

/** After which the network's silence needs somebody, in ms. docs/reliability.md. */
const undecidedMs = 15 * 60_000;
const dayMs = 86_400_000;
const figureDays = 14;

/** GET /: what needs the merchant, and how payments went. */
async function home(deps: ApiDeps, visit: Visit) {
  const { tenant } = visit;
  const now = new Date(deps.now());
  const ago = (ms: number): Date => new Date(now.getTime() - ms);
  // Each on its own: what takes too long to count leaves the rest of the page.
  const [lists, days] = await Promise.all([
    deps.lists.read(tenant, async (database) => ({
      disputes: await dueDisputes(database, tenant, { status: 'needsResponse', page: 1, perPage: 10 }),
      endpoints: await listEndpoints(database, tenant, { page: 1, perPage: 100 }),
      undecided: await undecidedPayments(database, tenant, ago(undecidedMs)),
      late: await latePayments(database, tenant, ago(7 * dayMs)),
      newest: await newestPayments(database, tenant, null, 8),
    })),
    deps.lists
      .read(tenant, (database) => paymentFigures(database, tenant, now, figureDays))
      .catch(() => null),
  ]);
  const { disputes, endpoints, ...rest } = lists;
  const failing = endpoints.endpoints.filter(
    ({ status, disabledReason, failingSince }) =>
      failingSince !== null || (status === 'disabled' && /gone|failing/.test(disabledReason ?? '')),
  );
  const data = { ...rest, disputes: disputes.disputes, failing, days };
  return sendPage(visit, { title: 'Home', section: 'home' }, (frame) => HomePage({ frame, data }));
}

export const homeRoutes: readonly DashboardRoute[] = [
  { method: 'GET', path: '', permission: 'read', handle: home },
];
