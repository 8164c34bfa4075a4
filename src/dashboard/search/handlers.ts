import { listKeys } from '../../db/merchants/merchant-keys.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { listEndpoints } from '../../db/webhooks/endpoints.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { formError } from '../parts/form-error.ts';
import { labelOf } from '../parts/format.ts';
import { type Frame, sections } from '../parts/view.ts';
import { findArchived, findByAddress, longestSearch } from '../payments/find-payments.ts';
import type { DashboardRoute } from '../route.ts';
import { texts } from '../texts/en.ts';
import { sendPage, type Visit } from '../visit.ts';
import { type Place, SearchPage } from './page.tsx';

const text = texts.search;

/** The maximum number of results of one kind. */
const maxResults = 8;
/** The maximum number of keys and endpoints that are searched. */
const maxSearched = 100;

interface SearchDeps {
  lists: TenantReads;
}

/** GET /search: everything that has a page and matches `q`. */
async function search(deps: SearchDeps, visit: Visit) {
  const { tenant, frame } = visit;
  const typed = (visit.query.get('q') ?? '').trim().replaceAll('\0', '');
  const isTooLong = typed.length > longestSearch;
  const q = isTooLong ? '' : typed;
  const part = q.toLowerCase();
  const matches = (...words: string[]): boolean => words.some((word) => word.toLowerCase().includes(part));
  const [found, kept] = await Promise.all([
    q === '' ? { payments: [] } : findByAddress(deps, visit),
    deps.lists.read(tenant, async (database) => ({
      keys: await listKeys(database, tenant, maxSearched),
      endpoints: (await listEndpoints(database, tenant, { page: 1, perPage: maxSearched })).endpoints,
    })),
  ]);
  const isArchived = found.payments.length === 0;
  const payments = isArchived ? await findArchived(deps, visit, q) : found.payments;
  const { base } = frame;
  const data = {
    q,
    pages: pagesOf(frame).filter(({ name }) => matches(name)),
    customers: customersOf(payments, frame, matches),
    keys: kept.keys
      .filter(({ id, name }) => matches(id, name))
      .map(({ id, name, revokedAt }) => ({
        href: `${base}/developers#${id}`,
        name: name === '' ? id : name,
        detail: text.keyIs(id, revokedAt !== null),
      })),
    endpoints: kept.endpoints
      .filter(({ id, url }) => matches(id, url))
      .map(({ id, url }) => ({ href: `${base}/webhooks/${id}`, name: url, detail: id })),
    payments: payments.slice(0, maxResults),
    isArchived,
  };
  const shown = {
    ...data,
    keys: data.keys.slice(0, maxResults),
    endpoints: data.endpoints.slice(0, maxResults),
  };
  return sendPage(
    visit,
    {
      title: text.title,
      section: null,
      notice: isTooLong ? formError(text.tooLong(longestSearch)).notice : null,
      status: isTooLong ? 400 : 200,
    },
    (shownFrame) => SearchPage({ frame: shownFrame, data: shown }),
  );
}

const pagesOf = ({ base }: Frame): Place[] => [
  ...sections.map((name) => ({
    href: name === 'home' ? base : `${base}/${name}`,
    name: labelOf(name),
    detail: null,
  })),
  ...Object.entries(text.extraPages).map(([path, name]) => ({ href: `${base}${path}`, name, detail: null })),
];

/** Returns the customers of the found payments whose name or e-mail address matches the search. */
function customersOf(
  payments: readonly PaymentRecord[],
  { base }: Frame,
  matches: (...words: string[]) => boolean,
): Place[] {
  const byEmail = new Map<string, Place>();
  for (const { customerEmail: email, customerName: name } of payments) {
    if (email === null || byEmail.has(email) || !matches(email, name ?? '')) continue;
    const href = `${base}/payments?q=${encodeURIComponent(email)}`;
    byEmail.set(email, { href, name: name ?? email, detail: name === null ? null : email });
  }
  return [...byEmail.values()].slice(0, maxResults);
}

export const searchRoutes = (deps: SearchDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/search', permission: 'read', handle: (visit) => search(deps, visit) },
];
