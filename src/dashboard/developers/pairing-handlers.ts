import { decidePairing, findOpenPairing } from '../../db/merchants/key-pairings.ts';
import type { Database } from '../../db/server/database.ts';
import { grantedScopes } from '../../domain/members.ts';
import { isUuid } from '../../http/request.ts';
import { formError, type FormError } from '../parts/form-error.ts';
import type { DashboardRoute } from '../route.ts';
import { texts } from '../texts/en.ts';
import { byOf, type Clock, redirectTo, sendPage, type Visit } from '../visit.ts';
import { PairingPage } from './pairing-page.tsx';

const text = texts.pairings;

/** The dependencies of the pages for command lines. */
export type PairingDeps = Clock & { database: Database };

/**
 * GET /developers/pairings?pairing=: shows the request of a command line. The member knows the pairing only
 * by this address. A pairing that another merchant decided looks like one that has ended or never existed.
 */
async function show({ database }: PairingDeps, visit: Visit, why?: FormError) {
  const { environment } = visit.tenant;
  const id = visit.query.get('pairing') ?? visit.form.get('pairing') ?? '';
  const pairing = isUuid(id) ? await findOpenPairing(database, environment, id) : null;
  const given = pairing === null ? [] : grantedScopes(visit.session.member.role, pairing.scopes);
  const back = { href: `${visit.frame.base}/developers`, label: texts.developers.title };
  return sendPage(visit, { title: text.title, section: 'developers', back, ...why }, (frame) =>
    PairingPage({ frame, pairing, given }),
  );
}

/** POST /developers/pairings/approve and /refuse: stores the decision once, for the member's merchant. */
const decide = (decision: 'approved' | 'refused') => async (deps: PairingDeps, visit: Visit) => {
  const { tenant, session } = visit;
  const id = visit.form.get('pairing') ?? '';
  const pairing = isUuid(id) ? await findOpenPairing(deps.database, tenant.environment, id) : null;
  if (pairing === null) return show(deps, visit, formError(text.overText, 409));
  const scopes = grantedScopes(session.member.role, pairing.scopes);
  if (decision === 'approved' && scopes.length === 0) return show(deps, visit, formError(text.nothing, 403));
  const decided = { id, memberId: session.member.id, decision, scopes };
  const isFirst = await decidePairing(deps.database, tenant, decided, byOf(deps, visit));
  if (!isFirst) return show(deps, visit, formError(text.overText, 409));
  return redirectTo(visit, '/developers', decision === 'approved' ? 'pairingApproved' : 'pairingRefused');
};

export const pairingRoutes = (deps: PairingDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/developers/pairings', permission: 'read', handle: (visit) => show(deps, visit) },
  {
    method: 'POST',
    path: '/developers/pairings/approve',
    permission: 'keys',
    fresh: true,
    handle: (visit) => decide('approved')(deps, visit),
  },
  {
    method: 'POST',
    path: '/developers/pairings/refuse',
    permission: 'keys',
    handle: (visit) => decide('refused')(deps, visit),
  },
];
