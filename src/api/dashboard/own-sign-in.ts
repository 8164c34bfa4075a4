import type { ApiDeps } from '../deps.ts';
import { sendPage, type Visit } from './visit.ts';
import { ConfirmPage } from '../../dashboard/pages/confirm.tsx';
import type { DashboardRoute } from './route.ts';

/** How a member signs in, for their own page. */
export async function ownSignIn(_deps: ApiDeps, _memberId: string) {
  return { passkeys: [], signIn: { login: null, hasPassword: false, recoveryCodes: 0 } };
}

/** GET /confirm: asks who it is before what matters. */
async function confirm(_deps: ApiDeps, visit: Visit) {
  const to = visit.query.get('to') ?? '';
  return sendPage(visit, { title: 'Is it you?', section: null }, (frame) =>
    ConfirmPage({ frame, to, hasPasskey: false, hasPassword: false }),
  );
}

export const ownSignInRoutes: readonly DashboardRoute[] = [
  { method: 'GET', path: '/confirm', permission: 'own', handle: confirm },
];
