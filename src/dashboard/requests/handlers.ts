import { answerKinds, type RequestQuery, RequestsPage } from './page.tsx';
import { listRequests, type RequestFilter } from '../../db/server/api-requests.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { isUuid } from '../../http/request.ts';
import { ignoredFilters, perPage, choiceOf } from '../parts/paging.ts';
import { formError } from '../parts/form-error.ts';
import { texts } from '../texts/en.ts';
import type { DashboardRoute } from '../route.ts';
import { sendPage, type Visit } from '../visit.ts';

const longestText = 255;
const text = texts.requests;

/** Returns the route template of a copied path (`/v1/payments/0198…/pay?x=1`). */
function templateOf(path: string): string {
  return path
    .replace(/^https?:\/\/[^/]+/i, '')
    .replace(/[?#].*$/, '')
    .replaceAll(/\/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|evt_[0-9A-Za-z]+)(?=\/|$)/gi, '/:id');
}

/** Reads the filter in the address; `trouble`: why it is invalid. */
function readQuery(visit: Visit): { query: RequestQuery; filter: RequestFilter; trouble: string | null } {
  const field = (name: string): string =>
    (visit.query.get(name) ?? '').trim().replaceAll('\0', '').slice(0, longestText);
  const kind = choiceOf(visit, 'answered', answerKinds);
  const query = { answered: kind, path: field('path'), id: field('id'), payment: field('payment') };
  const wrong = (['id', 'payment'] as const).find((name) => query[name] !== '' && !isUuid(query[name]));
  return {
    query,
    filter: {
      ...(kind === '' ? {} : { statusClass: Number(kind) as 2 | 4 | 5 }),
      ...(query.path === '' ? {} : { route: templateOf(query.path) }),
      ...(query.id === '' ? {} : { id: query.id }),
      ...(query.payment === '' ? {} : { paymentId: query.payment }),
    },
    trouble: wrong === undefined ? null : wrong === 'id' ? text.invalidRequestId : text.invalidPaymentId,
  };
}

export interface RequestDeps {
  lists: TenantReads;
}

/** GET /developers/requests: the requests of this environment's keys that match the filter, newest first. */
async function list({ lists }: RequestDeps, visit: Visit) {
  const { tenant } = visit;
  const { query, filter, trouble } = readQuery(visit);
  const given = visit.query.get('before') ?? '';
  const before = isUuid(given) ? given : null;
  const { requests, next } =
    trouble === null
      ? await lists.read(tenant, (database) => listRequests(database, tenant, filter, before, perPage))
      : { requests: [], next: null };
  const kept = Object.entries(query).filter(([, value]) => value !== '');
  const path = `${visit.frame.base}/developers/requests`;
  const older = next && `${path}?${new URLSearchParams([...kept, ['before', next]]).toString()}`;
  return sendPage(
    visit,
    {
      title: text.title,
      section: 'developers',
      back: { href: `${visit.frame.base}/developers`, label: texts.developers.title },
      ...(trouble === null
        ? { notice: ignoredFilters(visit, { answered: answerKinds }) }
        : formError(trouble, 400)),
    },
    (frame) => RequestsPage({ frame, query, requests, older }),
  );
}

export const requestRoutes = (deps: RequestDeps): readonly DashboardRoute[] => [
  {
    method: 'GET',
    path: '/developers/requests',
    permission: 'read',
    handle: (visit) => list(deps, visit),
  },
];
