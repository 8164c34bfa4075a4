import { RefundsPage } from './page.tsx';
import { paymentReferences } from '../../db/payments/payments.ts';
import { listRefunds } from '../../db/refunds/refund-reads.ts';
import { refundStatuses } from '../../domain/refund.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { type CancelRefundDeps, cancelRefund } from '../../operations/refunds/cancel-refund.ts';
import { addressOf, ignoredFilters, pageOf, pagesOf, perPage, choiceOf } from '../parts/paging.ts';
import { catchRefusal, type FormError } from '../parts/form-error.ts';
import { texts } from '../texts/en.ts';
import type { DashboardRoute } from '../route.ts';
import { redirectTo, sendPage, type Visit } from '../visit.ts';

interface ListDeps {
  lists: TenantReads;
}

export type RefundsDeps = ListDeps & CancelRefundDeps;

/** GET /refunds: newest first. */
async function list({ lists }: ListDeps, visit: Visit, why: FormError | null = null) {
  const { tenant } = visit;
  const status = choiceOf(visit, 'status', refundStatuses);
  const page = pageOf(visit);
  const filter = { status: status === '' ? null : status, paymentId: null, from: null, until: null };
  const { refunds, references, total } = await lists.read(tenant, async (database) => {
    const found = await listRefunds(database, tenant, { ...filter, page, perPage });
    const ids = found.refunds.map(({ paymentId }) => paymentId);
    return { ...found, references: await paymentReferences(database, tenant, ids) };
  });
  const pages = pagesOf(visit, '/refunds', page, total);
  const notice = ignoredFilters(visit, { status: refundStatuses });
  return sendPage(visit, { title: texts.refunds.title, section: 'refunds', notice, ...why }, (frame) =>
    RefundsPage({ frame, refunds, references, status, path: addressOf(visit, '/refunds'), pages }),
  );
}

/** POST /refunds/{id}/cancel: possible until the refund is sent to the network. */
async function cancel(deps: RefundsDeps, visit: Visit) {
  const id = (visit.params['id'] ?? '').toLowerCase();
  const done = await catchRefusal(() => cancelRefund(deps, visit.tenant, id, visit.actor));
  return done.ok ? redirectTo(visit, '/refunds', 'refundCanceled') : list(deps, visit, done);
}

export const refundRoutes = (deps: RefundsDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/refunds', permission: 'read', handle: (visit) => list(deps, visit) },
  {
    method: 'POST',
    path: '/refunds/:id/cancel',
    permission: 'refund',
    owns: 'refund',
    handle: (visit) => cancel(deps, visit),
  },
];
