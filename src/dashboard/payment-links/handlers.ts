import { uuidv7 } from 'uuidv7';
import { loadSettings } from '../../db/merchants/merchants.ts';
import { changeLink, listLinks } from '../../db/payment-links/payment-links.ts';
import type { IdempotencyDeps } from '../../operations/idempotency.ts';
import { createLink } from '../../operations/payment-links/create-link.ts';
import { catchRefusal, fieldError, type FormError } from '../parts/form-error.ts';
import { readWorkingMethods, type WorkingMethodsDeps } from '../../operations/payments/working-methods.ts';
import { listPages, pageOf, perListPage } from '../parts/paging.ts';
import type { DashboardRoute } from '../route.ts';
import { texts } from '../texts/en.ts';
import { byOf, redirectTo, sendPage, type Visit } from '../visit.ts';
import { readLinkForm } from './form.ts';
import { PaymentLinksPage } from './page.tsx';

export interface PaymentLinksDeps extends IdempotencyDeps, WorkingMethodsDeps {
  publicUrl: string;
  production: boolean;
}

/**
 * GET /payment-links: newest first. `why`: the reason why the form was refused; it keeps the typed values.
 */
async function show(deps: PaymentLinksDeps, visit: Visit, why: FormError | null = null) {
  const { tenant, frame } = visit;
  const page = pageOf(visit);
  const { links, total } = await listLinks(deps.database, tenant, { page, perPage: perListPage });
  const [working, settings] = await Promise.all([
    readWorkingMethods(deps, tenant),
    loadSettings(deps.database, tenant),
  ]);
  const typed = why === null ? null : visit.form;
  const key = `dashboard-${uuidv7()}`;
  return sendPage(
    visit,
    {
      title: texts.paymentLinks.title,
      section: 'payments',
      back: { href: `${frame.base}/payments`, label: texts.payments.title },
      ...why,
    },
    (framed) =>
      PaymentLinksPage({
        frame: framed,
        links: links.map((link) => ({ ...link, url: `${deps.publicUrl}/l/${link.slug}` })),
        methods: working.filter((method) => settings?.methods.includes(method)),
        pages: listPages(visit, '/payment-links', { page, rows: links.length, total }),
        total,
        typed,
        formKey: key,
      }),
  );
}

/** POST /payment-links: creates a link, once per form. */
async function create(deps: PaymentLinksDeps, visit: Visit) {
  const { form, frame, tenant, actor } = visit;
  const read = readLinkForm(form, {
    timeZone: frame.timeZone,
    nowMs: deps.now(),
    allowHttpLoopback: !deps.production,
  });
  if (!read.ok) return show(deps, visit, fieldError(`link-${read.field}`, read.why));
  const sent = form.get('key') ?? '';
  const key = /^dashboard-[0-9a-f-]{36}$/.test(sent) ? sent : `dashboard-${uuidv7()}`;
  const { command } = read;
  const made = await catchRefusal(() =>
    createLink(deps, tenant, { key, body: JSON.parse(JSON.stringify(command)) as unknown, command }, actor),
  );
  return made.ok ? redirectTo(visit, '/payment-links', 'linkCreated') : show(deps, visit, made);
}

/** POST /payment-links/{id}: closes the link or reopens it. */
async function change(deps: PaymentLinksDeps, visit: Visit) {
  const active = visit.form.get('active') === 'true';
  const id = (visit.params['id'] ?? '').toLowerCase();
  await changeLink(deps.database, visit.tenant, id, { active }, byOf(deps, visit));
  return redirectTo(visit, '/payment-links', active ? 'linkOpened' : 'linkClosed');
}

export const paymentLinkRoutes = (deps: PaymentLinksDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/payment-links', permission: 'read', handle: (visit) => show(deps, visit) },
  {
    method: 'POST',
    path: '/payment-links',
    permission: 'links',
    takesLong: true,
    handle: (visit) => create(deps, visit),
  },
  {
    method: 'POST',
    path: '/payment-links/:id',
    permission: 'links',
    owns: 'link',
    handle: (visit) => change(deps, visit),
  },
];
