import { ConfirmPage } from '../../dashboard/pages/confirm.tsx';
import {
  confirmSession,
  insertPasskey,
  listPasskeys,
  maxPasskeys,
  removePasskey,
} from '../../db/passkeys.ts';
import { isLengthWithin, isStorableText } from '../../domain/text.ts';
import type { ApiDeps } from '../deps.ts';
import { creationOptions, madePasskey, requestOptions, signedBy } from './passkeys.ts';
import { refused, type Refused } from './refused.ts';
import type { DashboardRoute } from './route.ts';
import { safePlace } from './safe-place.ts';
import { showTeam } from './team.ts';
import { byOf, leadTo, sendPage, type Visit } from './visit.ts';

const ask = async (deps: ApiDeps, visit: Visit): Promise<unknown> =>
  requestOptions(deps, visit.session.member);

const askNew = async (deps: ApiDeps, { session }: Visit): Promise<unknown> =>
  creationOptions(deps, session.member, session.merchantName);

/** POST /team/passkeys: adds the passkey the browser made. */
async function addPasskey(deps: ApiDeps, visit: Visit) {
  const { member } = visit.session;
  const given = (visit.form.get('name') ?? '').trim();
  const name = given === '' ? 'Passkey' : given;
  if (!isStorableText(name) || !isLengthWithin(name, 1, 80)) {
    return showTeam(deps, visit, { why: refused('the name must be 1 to 80 characters') });
  }
  const made = await madePasskey(deps, member, visit.form.get('credential') ?? '');
  if (made === null) {
    const why = refused('the passkey could not be added. Passkeys need script, and a browser that has them');
    return showTeam(deps, visit, { why });
  }
  if (!(await insertPasskey(deps.database, member, { ...made, name }, byOf(deps, visit)))) {
    return showTeam(deps, visit, { why: refused(`it is there already, or there are ${maxPasskeys}`, 409) });
  }
  return leadTo(visit, '/team', 'passkeyAdded');
}

/** POST /team/passkeys/remove: one's own only. */
async function takeAway(deps: ApiDeps, visit: Visit) {
  const id = visit.form.get('id') ?? '';
  await removePasskey(deps.database, visit.session.member, id, byOf(deps, visit));
  return leadTo(visit, '/team', 'passkeyRemoved');
}

/** GET /confirm: asks who it is, before what matters. */
async function confirm(deps: ApiDeps, visit: Visit, why: Refused | null = null) {
  const to = visit.form.get('to') ?? visit.query.get('to') ?? '';
  const passkeys = await listPasskeys(deps.database, visit.session.member.id);
  return sendPage(visit, { title: 'Is it you?', section: null, ...why }, (frame) =>
    ConfirmPage({ frame, to, hasPasskey: passkeys.length > 0 }),
  );
}

/** POST /confirm/passkey: the member showed who they are; leads back to where they were. */
async function confirmByPasskey(deps: ApiDeps, visit: Visit) {
  const { session, form, reply } = visit;
  const signer = await signedBy(deps, session.member, form.get('credential') ?? '');
  if (signer === null) return confirm(deps, visit, refused('that passkey did not fit', 403));
  await confirmSession(deps.database, session.id, new Date(deps.now()));
  const place = safePlace(form.get('to'));
  return reply.redirect(`${place}${place.includes('?') ? '&' : '?'}done=confirmed`, 303);
}

const own = { permission: 'own' } as const;

export const ownSignInRoutes: readonly DashboardRoute[] = [
  { ...own, method: 'GET', path: '/team/passkeys/options', fresh: true, handle: askNew },
  { ...own, method: 'POST', path: '/team/passkeys', fresh: true, handle: addPasskey },
  { ...own, method: 'POST', path: '/team/passkeys/remove', fresh: true, handle: takeAway },
  { ...own, method: 'GET', path: '/confirm', handle: (deps, visit) => confirm(deps, visit) },
  { ...own, method: 'GET', path: '/confirm/options', handle: ask },
  { ...own, method: 'POST', path: '/confirm/passkey', handle: confirmByPasskey },
];
