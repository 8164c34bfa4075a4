import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { uuidv7 } from 'uuidv7';
import { type PaymentPageData, shownParts } from './data.ts';
import { PaymentPage, sandboxControls } from './page.tsx';
import { type ReceiptDeps, receiptRoutes } from './receipt-handlers.ts';
import { refundFormRoutes } from './refund-handlers.ts';
import { PaymentsAside, PaymentsPage } from './list-page.tsx';
import { listRequests } from '../../db/server/api-requests.ts';
import { loadMailSettings } from '../../db/mail/mail-settings.ts';
import { findReceiptMail } from '../../db/mail/receipts.ts';
import { listAttempts } from '../../db/payments/attempts.ts';
import type { Queryable } from '../../db/server/database.ts';
import { isReadingArchive } from '../../db/server/tenant-reads.ts';
import { listPaymentDeliveries } from '../../db/webhooks/delivery-reads.ts';
import { listPaymentDisputes } from '../../db/disputes/dispute-reads.ts';
import { findPayment, type Tenant } from '../../db/payments/payments.ts';
import { findLinkOfPayment } from '../../db/payment-links/payment-links.ts';
import { listEndpoints } from '../../db/webhooks/endpoints.ts';
import { openApprovals } from '../../db/refunds/refund-approvals.ts';
import { listPaymentRefunds, refundMembers } from '../../db/refunds/refund-reads.ts';
import { checkoutIsUsable } from '../../domain/payment.ts';
import { openCheckoutUrl } from '../../operations/payments/payment-reads.ts';
import { decideRefund } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import { createConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import { type TimelineDeps, readTimeline } from '../../operations/payments/timeline.ts';
import type { CreateRefundDeps } from '../../operations/refunds/create-refund.ts';
import { csvOf } from '../../operations/payments/payments-csv.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { findByAddress, longestSearch, paymentNewsRoute, searchNotice } from './find-payments.ts';
import { addressWith, ignoredFilters, listPages, choiceOf } from '../parts/paging.ts';
import { catchRefusal, type FormError } from '../parts/form-error.ts';
import { type PaymentControlDeps, simulateOutcome } from '../developers/sandbox-handlers.ts';
import type { StoredPagesDeps } from '../stored-pages.ts';
import { texts } from '../texts/en.ts';
import type { DashboardRoute } from '../route.ts';
import { redirectTo, sendPage, type Visit } from '../visit.ts';

const text = texts.payments;

/** The maximum number of API requests on a payment's page. */
const maxRequests = 20;

type FindDeps = Parameters<typeof findByAddress>[0] & { keyring: Keyring };

/** GET /payments: a page of the payments that match the address. */
async function list(deps: FindDeps, visit: Visit) {
  const { filter, page, search: _search, news, ...found } = await findByAddress(deps, visit);
  const tooLong = filter.q.length > longestSearch;
  const notice = searchNotice(visit, filter);
  const rows = found.payments.length;
  const pages = listPages(visit, '/payments', { page, rows, total: found.total, atLeast: found.atLeast });
  const address = (changes: Readonly<Record<string, string>>): string =>
    addressWith(visit, '/payments', changes);
  return sendPage(
    visit,
    {
      title: text.title,
      section: 'payments',
      notice,
      status: tooLong ? 400 : 200,
      aside: PaymentsAside({ base: visit.frame.base, csv: addressWith(visit, '/payments.csv', {}) }),
    },
    (frame) =>
      PaymentsPage({
        frame,
        filter: { ...filter, q: filter.q.slice(0, longestSearch) },
        found,
        pages,
        news,
        address,
      }),
  );
}

const csvLimit = createConcurrencyLimit({ all: 10, each: 2 });

/**
 * GET /payments.csv: streams all payments that the same filter finds. An invalid filter redirects to the
 * page, which can show what is wrong.
 */
async function csv(deps: FindDeps, visit: Visit) {
  const { filter, search } = await findByAddress(deps, visit);
  if (searchNotice(visit, filter) !== null) return redirectTo(visit, `/payments?${visit.query.toString()}`);
  const leave = csvLimit.take(visit.tenant.merchantId);
  if (leave === null) throw new Refusal('rate_limited', { retryAfterSeconds: 5 });
  // If nothing was found, only the header is sent: no payment can have this reference.
  const stream = Readable.from(csvOf(deps, visit.tenant, search ?? { reference: '\u0001' }, null), {
    highWaterMark: 1,
  });
  stream.once('close', leave);
  if (visit.reply.raw.destroyed) stream.destroy();
  return visit.reply
    .type('text/csv; charset=utf-8; header=present')
    .header('Content-Disposition', 'attachment; filename="payments.csv"')
    .send(stream);
}

async function endpointUrls(database: Queryable, tenant: Tenant): Promise<Record<string, string>> {
  const { endpoints } = await listEndpoints(database, tenant, { page: 1, perPage: 100 });
  return Object.fromEntries(endpoints.map(({ id, url }) => [id, url]));
}

const newestRequests = async (database: Queryable, tenant: Tenant, paymentId: string) =>
  (await listRequests(database, tenant, { paymentId }, null, maxRequests)).requests;

type PageDeps = TimelineDeps & { keyring: Keyring };

const idOf = ({ params }: Visit): string => (params['id'] ?? '').toLowerCase();

/** Reads everything that a payment's page shows, under the tenant's row-level security. */
async function read(
  deps: TimelineDeps,
  visit: Visit,
  withRequests: boolean,
): Promise<Omit<PaymentPageData, 'part' | 'refundKey' | 'receiptKey' | 'refundForm' | 'checkoutUrl'>> {
  const { tenant } = visit;
  const id = idOf(visit);
  const [timeline, linkId, rows] = await Promise.all([
    readTimeline(deps, tenant, id, null, withRequests),
    // Shown only together with a payment of the tenant.
    findLinkOfPayment(deps.database, id),
    deps.tenants.read(tenant, async (database) => ({
      payment: await findPayment(database, tenant, id),
      attempts: await listAttempts(database, id),
      refunds: await listPaymentRefunds(database, id),
      refundMembers: await refundMembers(database, id),
      approvals: await openApprovals(database, id, new Date(visit.frame.nowMs)),
      disputes: await listPaymentDisputes(database, id),
      deliveries: await listPaymentDeliveries(database, id),
      endpointUrls: await endpointUrls(database, tenant),
      receipt: await findReceiptMail(database, id),
      isMailSet: (await loadMailSettings(database, tenant)) !== null,
      requests: withRequests ? await newestRequests(database, tenant, id) : [],
    })),
  ]);
  const { payment, requests, ...rest } = rows;
  if (!payment || !timeline) throw new Refusal('not_found');
  const pendingCents = rows.refunds
    .filter(({ status }) => status === 'pending')
    .reduce((sum, { amountCents }) => sum + amountCents, 0);
  const decision = decideRefund(payment, pendingCents, null);
  const { waitingFor, entries } = timeline;
  // Without API requests, so that a server that polls the payment does not make the page reload.
  const story = entries.filter(({ kind }) => kind !== 'request.answered');
  return {
    ...rest,
    payment,
    linkId,
    isArchived: isReadingArchive(),
    requests,
    waitingFor,
    entries: entries.toReversed(),
    refundableCents: decision.ok ? decision.amountCents : 0,
    version: createHash('sha256')
      .update(JSON.stringify([payment, rest, story, waitingFor]))
      .digest('base64url')
      .slice(0, 22),
  };
}

async function sendPayment(
  deps: PageDeps,
  visit: Visit,
  refusedRefund: { form: PaymentPageData['refundForm']; why: FormError } | null = null,
) {
  const page = await read(deps, visit, true);
  const data = {
    ...page,
    part: choiceOf(visit, 'timeline', shownParts) || 'payment',
    deliveries: page.deliveries.toReversed(),
    refundKey: `dashboard-${uuidv7()}`,
    receiptKey: uuidv7(),
    refundForm: refusedRefund?.form ?? null,
    checkoutUrl: checkoutIsUsable(page.payment) ? openCheckoutUrl(deps.keyring, page.payment) : null,
  };
  return sendPage(
    visit,
    {
      title: data.payment.reference,
      section: 'payments',
      back: { href: `${visit.frame.base}/payments`, label: text.title },
      notice: ignoredFilters(visit, { timeline: shownParts }),
      ...refusedRefund?.why,
    },
    (frame) => PaymentPage({ frame, data }),
  );
}

/** GET /payments/{id}/version: a value that changes with the content of the page. */
const version = async (deps: TimelineDeps, visit: Visit) => ({
  version: (await read(deps, visit, false)).version,
});

/** POST /payments/{id}/sandbox: simulates an action of the network or the customer. */
async function simulate(deps: PageDeps & PaymentControlDeps, visit: Visit) {
  const control = sandboxControls.find((value) => value === visit.form.get('control'));
  const done = await catchRefusal(async () => {
    if (control === undefined) throw new Refusal('validation_failed');
    await simulateOutcome(deps, visit, idOf(visit), control);
  });
  if (!done.ok) return sendPayment(deps, visit, { form: null, why: done });
  return redirectTo(visit, `/payments/${idOf(visit)}`, 'sandboxDone');
}

export type PaymentsDeps = FindDeps &
  TimelineDeps &
  CreateRefundDeps &
  PaymentControlDeps &
  StoredPagesDeps &
  ReceiptDeps;

export const paymentRoutes = (deps: PaymentsDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/payments', permission: 'read', handle: (visit) => list(deps, visit) },
  paymentNewsRoute(deps),
  { method: 'GET', path: '/payments.csv', permission: 'read', handle: (visit) => csv(deps, visit) },
  {
    method: 'GET',
    path: '/payments/:id',
    permission: 'read',
    owns: 'payment',
    handle: (visit) => sendPayment(deps, visit),
  },
  {
    method: 'GET',
    path: '/payments/:id/version',
    permission: 'read',
    owns: 'payment',
    handle: (visit) => version(deps, visit),
  },
  ...refundFormRoutes(deps, (visit, refused) => sendPayment(deps, visit, refused)),
  ...receiptRoutes(deps, (visit, why) => sendPayment(deps, visit, { form: null, why })),
  {
    method: 'POST',
    path: '/payments/:id/sandbox',
    permission: 'sandbox',
    owns: 'payment',
    sandboxOnly: true,
    handle: (visit) => simulate(deps, visit),
  },
];
