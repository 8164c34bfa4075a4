import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { uuidv7 } from 'uuidv7';
import { centsOf } from '../parts/format.ts';
import { type AttemptLine, PaymentPage, type PaymentPageData, sandboxControls } from './page.tsx';
import { PaymentsPage } from './list-page.tsx';
import { listRequests } from '../../db/server/api-requests.ts';
import { listAttempts } from '../../db/payments/attempts.ts';
import type { Queryable } from '../../db/server/database.ts';
import { listPaymentDeliveries } from '../../db/webhooks/delivery-reads.ts';
import { listPaymentDisputes } from '../../db/disputes/dispute-reads.ts';
import { findPayment, type Tenant } from '../../db/payments/payments.ts';
import { listEndpoints } from '../../db/webhooks/endpoints.ts';
import { listPaymentRefunds } from '../../db/refunds/refund-reads.ts';
import { referenceHoldsCardNumber } from '../../domain/card-number.ts';
import { largeRefundCents } from '../../domain/members.ts';
import { decideRefund, refundReasons } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import { isLengthWithin, isStorableText } from '../../domain/text.ts';
import { timelineParts } from '../../domain/timeline/parts.ts';
import { createConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import { type TimelineDeps, readTimeline } from '../../operations/payments/timeline.ts';
import { type CreateRefundDeps, createRefund } from '../../operations/refunds/create-refund.ts';
import { csvOf } from '../../operations/payments/payments-csv.ts';
import { sealCursor } from '../../operations/payments/search-cursor.ts';
import { doubts, findByAddress, longestSearch } from './find-payments.ts';
import { ignoredFilters, choiceOf } from '../parts/paging.ts';
import { catchRefusal, formError, type FormError } from '../parts/form-error.ts';
import { type PaymentControlDeps, orderOnPayment } from '../developers/sandbox-handlers.ts';
import type { DashboardRoute } from '../route.ts';
import { isFresh, redirectTo, sendPage, type Visit } from '../visit.ts';

/** Requests that a payment's page lists; the log has all. */
const mostRequests = 20;

type FindDeps = Parameters<typeof findByAddress>[0];

/** GET /payments: the newest, or what a search finds. The filter is the address. */
async function list(deps: FindDeps, visit: Visit) {
  const { filter, payments, search, next, lost } = await findByAddress(deps, visit);
  const address = (path: string, more: Record<string, string>): string => {
    const query = new URLSearchParams({
      ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== '')),
      ...more,
    }).toString();
    return `${visit.frame.base}${path}${query === '' ? '' : `?${query}`}`;
  };
  const older =
    next && search
      ? address('/payments', { cursor: sealCursor(deps.keyring, visit.tenant, search, next) })
      : null;
  const tooLong = filter.q.length > longestSearch;
  const notice = doubts(visit, filter, lost);
  return sendPage(
    visit,
    { title: 'Payments', section: 'payments', notice, status: tooLong ? 400 : 200 },
    (frame) =>
      PaymentsPage({
        frame,
        filter: { ...filter, q: filter.q.slice(0, longestSearch) },
        payments,
        older,
        csv: address('/payments.csv', {}),
      }),
  );
}

const csvPlaces = createConcurrencyLimit({ all: 10, each: 2 });

/**
 * GET /payments.csv: all that the same filter finds, as a stream. An address that cannot be followed to the
 * letter leads to the page, which says why: a file would not.
 */
async function csv(deps: FindDeps, visit: Visit) {
  const { filter, search, lost } = await findByAddress(deps, visit);
  if (doubts(visit, filter, lost) !== null) return redirectTo(visit, `/payments?${visit.query.toString()}`);
  const leave = csvPlaces.take(visit.tenant.merchantId);
  if (leave === null) throw new Refusal('rate_limited', { retryAfterSeconds: 5 });
  // Nothing found: the header alone, by a reference that nothing can have.
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
  (await listRequests(database, tenant, { paymentId }, null, mostRequests)).requests;

const idOf = ({ params }: Visit): string => (params['id'] ?? '').toLowerCase();

/** Reads all that a payment's page shows, through the tenant's own reads. */
async function read(
  deps: TimelineDeps,
  visit: Visit,
  withRequests: boolean,
): Promise<Omit<PaymentPageData, 'part' | 'refundKey' | 'refundForm'>> {
  const { tenant } = visit;
  const id = idOf(visit);
  const [timeline, rows] = await Promise.all([
    readTimeline(deps, tenant, id, null, withRequests),
    deps.tenants.read(tenant, async (database) => ({
      payment: await findPayment(database, tenant, id),
      attempts: (await listAttempts(database, id)) as unknown as AttemptLine[],
      refunds: await listPaymentRefunds(database, id),
      disputes: await listPaymentDisputes(database, id),
      deliveries: await listPaymentDeliveries(database, id),
      endpointUrls: await endpointUrls(database, tenant),
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
  // A merchant's server that reads the payment every second is no reason to show the page anew.
  const story = entries.filter(({ kind }) => kind !== 'request.answered');
  return {
    ...rest,
    payment,
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
  deps: TimelineDeps,
  visit: Visit,
  refusedRefund: { form: PaymentPageData['refundForm']; why: FormError } | null = null,
) {
  const page = await read(deps, visit, true);
  const data = {
    ...page,
    part: choiceOf(visit, 'timeline', timelineParts),
    deliveries: page.deliveries.toReversed(),
    refundKey: `dashboard-${uuidv7()}`,
    refundForm: refusedRefund?.form ?? null,
  };
  return sendPage(
    visit,
    {
      title: data.payment.reference,
      section: 'payments',
      back: { href: `${visit.frame.base}/payments`, label: 'Payments' },
      notice: ignoredFilters(visit, { timeline: timelineParts }),
      ...refusedRefund?.why,
    },
    (frame) => PaymentPage({ frame, data }),
  );
}

/** GET /payments/{id}/version: changes whenever the page would look different. */
const version = async (deps: TimelineDeps, visit: Visit) => ({
  version: (await read(deps, visit, false)).version,
});

/** Returns what is wrong with a reference, which is stored in clear; null for nothing. */
function referenceFault(reference: string): string | null {
  if (!isStorableText(reference)) return 'the reference must not contain U+0000';
  if (!isLengthWithin(reference, 1, 255)) return 'the reference must be 1 to 255 characters long';
  return referenceHoldsCardNumber(reference) ? 'the reference must not contain a card number' : null;
}

/** POST /payments/{id}/refunds: the same refund as the API makes, once per form. */
async function refund(deps: TimelineDeps & CreateRefundDeps, visit: Visit) {
  const { form, tenant, actor } = visit;
  const text = (name: string): string => form.get(name) ?? '';
  const shown = { amount: text('amount'), reason: text('reason'), reference: text('reference') };
  const amountCents = centsOf(shown.amount);
  if (amountCents === null || amountCents === 0) {
    const why = formError('the amount must be dollars, such as 10 or 10.00');
    return sendPayment(deps, visit, { form: shown, why });
  }
  if (amountCents >= largeRefundCents && !isFresh(deps, visit)) {
    const back = `${visit.frame.base}/payments/${idOf(visit)}`;
    return redirectTo(visit, `/confirm?to=${encodeURIComponent(back)}`);
  }
  const key = /^dashboard-[0-9a-f-]{36}$/.test(text('key')) ? text('key') : `dashboard-${uuidv7()}`;
  const reason = refundReasons.find((known) => known === shown.reason) ?? null;
  const reference = shown.reference.trim() === '' ? null : shown.reference.trim();
  const fault = reference === null ? null : referenceFault(reference);
  if (fault !== null) return sendPayment(deps, visit, { form: shown, why: formError(fault) });
  const command = { amountCents, reason, reference, metadata: {} };
  // What the key stands for, as the API would be sent it.
  const body = {
    amountCents,
    ...(reason === null ? {} : { reason }),
    ...(reference === null ? {} : { reference }),
  };
  const made = await catchRefusal(() =>
    createRefund(deps, tenant, { paymentId: idOf(visit), key, body, command }, actor),
  );
  if (!made.ok) return sendPayment(deps, visit, { form: shown, why: made });
  return redirectTo(visit, `/payments/${idOf(visit)}`, 'refunded');
}

/** POST /payments/{id}/sandbox: what the network or the customer does, in sandbox. */
async function simulate(deps: TimelineDeps & PaymentControlDeps, visit: Visit) {
  const control = sandboxControls.find(({ value }) => value === visit.form.get('control'))?.value;
  const done = await catchRefusal(async () => {
    if (control === undefined) throw new Refusal('validation_failed');
    await orderOnPayment(deps, visit, idOf(visit), control);
  });
  if (!done.ok) return sendPayment(deps, visit, { form: null, why: done });
  return redirectTo(visit, `/payments/${idOf(visit)}`, 'sandboxDone');
}

export type PaymentsDeps = FindDeps & TimelineDeps & CreateRefundDeps & PaymentControlDeps;

export const paymentRoutes = (deps: PaymentsDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/payments', permission: 'read', handle: (visit) => list(deps, visit) },
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
  {
    method: 'POST',
    path: '/payments/:id/refunds',
    permission: 'refund',
    owns: 'payment',
    handle: (visit) => refund(deps, visit),
  },
  {
    method: 'POST',
    path: '/payments/:id/sandbox',
    permission: 'sandbox',
    owns: 'payment',
    sandboxOnly: true,
    handle: (visit) => simulate(deps, visit),
  },
];
