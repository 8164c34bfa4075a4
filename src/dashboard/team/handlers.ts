import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { randomUrlSecret } from '../../crypto/secrets.ts';
import { type NewInvitation, TeamPage } from './page.tsx';
import { auditFilterOf } from './audit-filter.ts';
import { addressWith } from '../parts/paging.ts';
import { listAudit } from '../../db/server/audit.ts';
import { listEndpoints } from '../../db/webhooks/endpoints.ts';
import { listPasskeys } from '../../db/members/passkeys.ts';
import { endSession, findSessionOf, listSessions } from '../../db/members/member-sessions.ts';
import { changeMember, listMembers, maxMembers } from '../../db/members/members.ts';
import { setMemberEmail } from '../../db/members/member-emails.ts';
import { mailEnvironmentOf } from '../../db/mail/mail-settings.ts';
import { linkMailOf } from '../sign-in/mailed-link.ts';
import {
  cancelInvitation,
  createInvitation,
  listInvitations,
  maxInvitations,
} from '../../db/members/invitations.ts';
import { canonicalEmail, roles } from '../../domain/members.ts';
import { isLengthWithin, isStorableText } from '../../domain/text.ts';
import type { Database } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { fieldError, formError, type FormError } from '../parts/form-error.ts';
import { texts } from '../texts/en.ts';
import type { DashboardRoute } from '../route.ts';
import { clearSessionCookie } from '../sign-in/session-cookie.ts';
import { type OneTimeSecretDeps, redirectToSecret, takeSecret } from '../parts/one-time-secret.ts';
import { byOf, type Clock, redirectTo, sendPage, type Visit } from '../visit.ts';

const text = texts.team;

const auditPage = 50;
/** The maximum number of endpoints whose URLs the audit log shows. */
const maxNamed = 100;
const longestName = 80;

export interface TeamPageDeps extends OneTimeSecretDeps {
  database: Database;
  lists: TenantReads;
  /** Null if there is none. */
  identityProvider: { name: string } | null;
}

type TeamChangeDeps = TeamPageDeps;

/** GET /team: members, invitations, sessions and, with its permission, the audit log. */
export async function showTeam(deps: TeamPageDeps, visit: Visit, more: { why?: FormError } = {}) {
  const { tenant, frame: own, session, query } = visit;
  const now = new Date(deps.now());
  const given = query.get('before') ?? '';
  const before = /^\d{1,15}$/.test(given) ? Number(given) : null;
  const audited = auditFilterOf(visit);
  const read = await deps.lists.read(tenant, async (database) => ({
    members: await listMembers(database, tenant.merchantId),
    invitations: await listInvitations(database, tenant.merchantId, now),
    sessions: await listSessions(database, tenant.merchantId, now),
    passkeys: await listPasskeys(database, session.member.id),
    audit: own.may('audit')
      ? await listAudit(database, { ...tenant, ...audited.filter, before, limit: auditPage })
      : null,
    endpoints: own.may('audit')
      ? (await listEndpoints(database, tenant, { page: 1, perPage: maxNamed })).endpoints
      : [],
  }));
  const mails = (await mailEnvironmentOf(deps.database, tenant.merchantId)) !== null;
  const manages = own.may('team');
  const last = read.audit?.at(-1)?.sequence ?? 0;
  const isMore = read.audit?.length === auditPage && last > 1;
  const { member } = session;
  const { why } = more;
  const taken = takeSecret(deps, visit, 'invitation');
  const invitation = taken === null ? null : (JSON.parse(taken) as NewInvitation);
  const page = { title: text.title, section: 'team', notice: audited.notice, ...why } as const;
  return sendPage(visit, page, (frame) =>
    TeamPage({
      frame,
      self: member.id,
      sessionId: session.id,
      ...read,
      mails,
      // A member without the permission to manage members sees only their own browsers.
      sessions: read.sessions.filter(({ memberId }) => manages || memberId === member.id),
      invitations: manages ? read.invitations : [],
      invitation,
      provider: deps.identityProvider?.name ?? null,
      endpointUrls: Object.fromEntries(read.endpoints.map(({ id, url }) => [id, url])),
      auditFilter: audited.shown,
      older: isMore ? `${addressWith(visit, '/team', { before: String(last) })}#audit` : null,
    }),
  );
}

/** POST /team/invitations: creates a link with which a new member joins, shown once. */
async function invite(deps: TeamChangeDeps & { dashboardUrl: string }, visit: Visit) {
  const name = (visit.form.get('name') ?? '').trim();
  const role = roles.find((known) => known === visit.form.get('role'));
  if (!isStorableText(name) || !isLengthWithin(name, 1, longestName) || role === undefined) {
    return showTeam(deps, visit, { why: fieldError('invite-name', text.invalidName(longestName)) });
  }
  const email = emailOf(visit);
  const rejectEmail = (why: string, status?: number) =>
    showTeam(deps, visit, { why: fieldError('invite-email', why, status) });
  if (email === undefined) return rejectEmail(text.invalidEmail);
  const { merchantId } = visit.tenant;
  const members = await listMembers(deps.database, merchantId);
  if (members.length >= maxMembers) {
    return showTeam(deps, visit, { why: formError(text.tooManyMembers(maxMembers)) });
  }
  if (email !== null && members.some((member) => member.email === email)) {
    return rejectEmail(text.emailTaken, 409);
  }
  const token = randomUrlSecret();
  const tokenHash = deps.keyring.lookupHash(hashPurposes.signInLink, token);
  const link = `${deps.dashboardUrl}/dashboard/link/${token}`;
  const content = { url: link, invitedBy: visit.session.member.name };
  const mail = email === null ? null : await linkMailOf(deps, merchantId, email, content);
  const invitation = { tokenHash, merchantId, role, name, email, mail };
  if (!(await createInvitation(deps.database, invitation, byOf(deps, visit)))) {
    return showTeam(deps, visit, { why: formError(text.tooManyInvitations(maxInvitations), 409) });
  }
  const made: NewInvitation = { link, name, mailedTo: mail === null ? null : email };
  return redirectToSecret(deps, visit, '/team', { kind: 'invitation', text: JSON.stringify(made) });
}

/** Returns the e-mail address of a form: null for an empty one, undefined for an invalid one. */
function emailOf({ form }: Visit): string | null | undefined {
  const given = (form.get('email') ?? '').trim();
  return given === '' ? null : (canonicalEmail(given) ?? undefined);
}

/** POST /team/{id}/email: changes the address with which the identity provider signs a member in. */
async function changeEmail(deps: TeamChangeDeps, visit: Visit) {
  const email = emailOf(visit);
  const reject = (why: string, status?: number) =>
    showTeam(deps, visit, { why: fieldError(`email-${idOf(visit)}`, why, status) });
  if (email === undefined) return reject(text.invalidEmail);
  const { merchantId } = visit.tenant;
  const by = { ...byOf(deps, visit), sessionId: visit.session.id };
  const set = await setMemberEmail(deps.database, merchantId, idOf(visit), email, by);
  if (set === 'taken') return reject(text.emailTaken, 409);
  return redirectTo(visit, '/team', 'emailChanged');
}

/** POST /team/invitations/{id}/cancel: its link stops working. */
async function cancel(deps: TeamChangeDeps, visit: Visit) {
  const { merchantId } = visit.tenant;
  const canceled = await cancelInvitation(deps.database, merchantId, idOf(visit), byOf(deps, visit));
  if (!canceled) return showTeam(deps, visit, { why: formError(text.invitationUsed, 409) });
  return redirectTo(visit, '/team', 'invitationCanceled');
}

const idOf = ({ params }: Visit): string => (params['id'] ?? '').toLowerCase();

/** POST /team/{id}/role and /remove. */
async function change(deps: TeamChangeDeps, visit: Visit, remove: boolean) {
  const role = remove ? null : roles.find((known) => known === visit.form.get('role'));
  if (role === undefined) return showTeam(deps, visit, { why: formError(text.unknownRole) });
  const by = { ...byOf(deps, visit), sessionId: visit.session.id };
  const changed = await changeMember(deps.database, visit.tenant.merchantId, idOf(visit), role, by);
  if (changed === 'lastOwner') {
    return showTeam(deps, visit, {
      why: formError(text.lastOwner, 409),
    });
  }
  return redirectTo(visit, '/team', remove ? 'memberRemoved' : 'memberChanged');
}

/** POST /team/sessions/{id}/end: ends the member's own session, or, with the permission, any member's. */
async function end(deps: TeamChangeDeps, visit: Visit) {
  const { merchantId } = visit.tenant;
  const found = await findSessionOf(deps.database, merchantId, idOf(visit));
  if (found && found.memberId !== visit.session.member.id && !visit.frame.may('team')) {
    return showTeam(deps, visit, { why: formError(text.ownersOnly, 403) });
  }
  await endSession(deps.database, merchantId, idOf(visit), byOf(deps, visit));
  return redirectTo(visit, '/team', 'sessionEnded');
}

/** POST /sign-out: ends this browser's session and clears its cookie. */
async function signOut(deps: Clock & { database: Database }, visit: Visit) {
  await endSession(deps.database, visit.tenant.merchantId, visit.session.id, byOf(deps, visit));
  return clearSessionCookie(visit.reply).redirect('/dashboard/sign-in?done=signedOut', 303);
}

export type TeamDeps = TeamChangeDeps & { dashboardUrl: string };

export const teamRoutes = (deps: TeamDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/team', permission: 'read', handle: (visit) => showTeam(deps, visit) },
  {
    method: 'POST',
    path: '/team/invitations',
    permission: 'team',
    fresh: true,
    handle: (visit) => invite(deps, visit),
  },
  {
    method: 'POST',
    path: '/team/invitations/:id/cancel',
    permission: 'team',
    owns: 'invitation',
    fresh: true,
    handle: (visit) => cancel(deps, visit),
  },
  {
    method: 'POST',
    path: '/team/:id/email',
    permission: 'team',
    owns: 'member',
    fresh: true,
    handle: (visit) => changeEmail(deps, visit),
  },
  {
    method: 'POST',
    path: '/team/:id/role',
    permission: 'team',
    owns: 'member',
    fresh: true,
    handle: (visit) => change(deps, visit, false),
  },
  {
    method: 'POST',
    path: '/team/:id/remove',
    permission: 'team',
    owns: 'member',
    fresh: true,
    handle: (visit) => change(deps, visit, true),
  },
  {
    method: 'POST',
    path: '/team/sessions/:id/end',
    permission: 'own',
    owns: 'session',
    handle: (visit) => end(deps, visit),
  },
  { method: 'POST', path: '/sign-out', permission: 'own', handle: (visit) => signOut(deps, visit) },
];
