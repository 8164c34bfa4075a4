import { answerKinds, type RequestQuery, RequestsPage } from './page.tsx';
import { listRequests, type RequestFilter } from '../../db/server/api-requests.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { isUuid } from '../../http/request.ts';
import { ignoredFilters, perPage, choiceOf } from '../parts/paging.ts';
import { formError } from '../parts/form-error.ts';
import type { DashboardRoute } from '../route.ts';
import { sendPage, type Visit } from '../visit.ts';

const longestText = 255;
const answers = answerKinds.map(({ value }) => value);

/** Returns a path as somebody copies it (`/v1/payments/0198…/pay?x=1`) as the route's template has it. */
function templateOf(path: string): string {
  return path
    .replace(/^https?:\/\/[^/]+/i, '')
    .replace(/[?#].*$/, '')
    .replaceAll(/\/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|evt_[0-9A-Za-z]+)(?=\/|$)/gi, '/:id');
}

/** Reads the address; `trouble`: what in it can name nothing. */
function readQuery(visit: Visit): { query: RequestQuery; filter: RequestFilter; trouble: string | null } {
  const text = (name: string): string =>
    (visit.query.get(name) ?? '').trim().replaceAll('\0', '').slice(0, longestText);
  const kind = choiceOf(visit, 'answered', answers);
  const query = { answered: kind, path: text('path'), id: text('id'), payment: text('payment') };
  const wrong = (['id', 'payment'] as const).find((name) => query[name] !== '' && !isUuid(query[name]));
  return {
    query,
    filter: {
      ...(kind === '' ? {} : { statusClass: Number(kind) as 2 | 4 | 5 }),
      ...(query.path === '' ? {} : { route: templateOf(query.path) }),
      ...(query.id === '' ? {} : { id: query.id }),
      ...(query.payment === '' ? {} : { paymentId: query.payment }),
    },
    trouble: wrong === undefined ? null : `a ${wrong === 'id' ? 'request' : 'payment'} id is a UUID`,
  };
}

export interface RequestDeps {
  lists: TenantReads;
}

/** GET /developers/requests: the calls of this environment's keys, newest first; by the address. */
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
      title: 'Request log',
      section: 'developers',
      back: { href: `${visit.frame.base}/developers`, label: 'Developers' },
      ...(trouble === null
        ? { notice: ignoredFilters(visit, { answered: answers }) }
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
