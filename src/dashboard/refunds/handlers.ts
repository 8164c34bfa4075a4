import { RefundsPage } from './page.tsx';
import { paymentReferences } from '../../db/payments/payments.ts';
import { refundColumns } from '../../db/refunds/refund-reads.ts';
import { type RefundRecord, refundStatuses } from '../../domain/refund.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { type CancelRefundDeps, cancelRefund } from '../../operations/refunds/cancel-refund.ts';
import { CsvLink } from '../parts/list.tsx';
import { addressOf } from '../parts/paging.ts';
import { listNewsRoute, readList, sendListCsv, type SortedList } from '../parts/sorted-list.ts';
import { catchRefusal, type FormError } from '../parts/form-error.ts';
import { texts } from '../texts/en.ts';
import type { DashboardRoute } from '../route.ts';
import { redirectTo, sendPage, type Visit } from '../visit.ts';

interface ListDeps {
  lists: TenantReads;
}

export type RefundsDeps = ListDeps & CancelRefundDeps;

const refundList: SortedList = {
  list: 'refunds',
  columns: refundColumns,
  statuses: refundStatuses,
  first: 'newest',
  csvColumns: [
    'id',
    'paymentId',
    'status',
    'amountCents',
    'reason',
    'reference',
    'failureCode',
    'createdAt',
    'submittedAt',
    'succeededAt',
    'failedAt',
    'environment',
  ],
};

/** GET /refunds: newest first. */
async function list({ lists }: ListDeps, visit: Visit, why: FormError | null = null) {
  const { tenant } = visit;
  const { rows, notice, csv, ...found } = await readList(lists, visit, refundList);
  const refunds = rows as RefundRecord[];
  const references = await lists.read(tenant, (database) =>
    paymentReferences(
      database,
      tenant,
      refunds.map(({ paymentId }) => paymentId),
    ),
  );
  const aside = CsvLink({ href: csv });
  return sendPage(visit, { title: texts.refunds.title, section: 'refunds', notice, aside, ...why }, (frame) =>
    RefundsPage({ frame, refunds, references, path: addressOf(visit, '/refunds'), ...found }),
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
    method: 'GET',
    path: '/refunds.csv',
    permission: 'read',
    handle: (visit) => sendListCsv(deps.lists, visit, refundList),
  },
  listNewsRoute(deps, refundList),
  {
    method: 'POST',
    path: '/refunds/:id/cancel',
    permission: 'refund',
    owns: 'refund',
    handle: (visit) => cancel(deps, visit),
  },
];
