import { FirstPasskeyPage, firstPasskeyPath } from './own-sign-in-page.tsx';
import { PasswordPage } from './password-page.tsx';
import { findMemberEmail } from '../../db/members/member-emails.ts';
import { endWarnings } from '../../db/members/sign-in-tries.ts';
import { findPassword } from '../../db/members/member-passwords.ts';
import { ConfirmPage } from './confirm-page.tsx';
import {
  confirmSession,
  insertPasskey,
  listPasskeys,
  maxPasskeys,
  removePasskey,
} from '../../db/members/passkeys.ts';
import { isLengthWithin, isStorableText } from '../../domain/text.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Database } from '../../db/server/database.ts';
import { logFailedSignIn } from './failed-sign-in.ts';
import {
  type PasskeyDeps,
  creationOptions,
  verifyNewPasskey,
  requestOptions,
  verifyPasskey,
} from './passkeys.ts';
import {
  type PasswordDeps,
  type PasswordProblem,
  choosePassword,
  verifyMember,
  secondFactor,
} from './passwords.ts';
import { fieldError, formError, type FormError, wrongPassword } from '../parts/form-error.ts';
import type { DashboardRoute } from '../route.ts';
import { sessionSecret, setSessionCookie } from './session-cookie.ts';
import { safeRedirectPath } from '../parts/safe-redirect-path.ts';
import { type TeamPageDeps, showTeam } from '../team/handlers.ts';
import { continueForm, type StoredPagesDeps } from '../stored-pages.ts';
import { redirectToSecret, takeSecret } from '../parts/one-time-secret.ts';
import { texts } from '../texts/en.ts';
import { byOf, type Clock, redirectTo, sendPage, type Visit } from '../visit.ts';

const text = texts.signIn;
const longestPasskeyName = 80;

interface ConfirmDeps extends Clock {
  database: Database;
  keyring: Keyring;
  /** Null if there is none. */
  identityProvider: { name: string } | null;
}

const challenge = async (deps: PasskeyDeps, visit: Visit): Promise<unknown> =>
  requestOptions(deps, visit.session.member);

const newPasskeyOptions = async (deps: PasskeyDeps, { session }: Visit): Promise<unknown> =>
  creationOptions(deps, session.member, session.merchantName);

/** POST /team/passkeys: adds the passkey that the browser created. */
async function addPasskey(deps: PasskeyDeps & TeamPageDeps, visit: Visit) {
  const { member } = visit.session;
  const given = (visit.form.get('name') ?? '').trim();
  const name = given === '' ? text.passkeyDefaultName : given;
  if (!isStorableText(name) || !isLengthWithin(name, 1, longestPasskeyName)) {
    const why = fieldError('passkey-name', text.invalidPasskeyName(longestPasskeyName));
    return showTeam(deps, visit, { why });
  }
  const made = await verifyNewPasskey(deps, member, visit.form.get('credential') ?? '');
  if (made === null) {
    return showTeam(deps, visit, { why: formError(text.passkeyNotAdded) });
  }
  if (!(await insertPasskey(deps.database, member, { ...made, name }, byOf(deps, visit)))) {
    return showTeam(deps, visit, { why: formError(text.passkeyKnown(maxPasskeys), 409) });
  }
  return redirectTo(visit, visit.form.get('then') === 'home' ? '' : '/team', 'passkeyAdded');
}

/** GET /first-passkey: where the link of a member without passkey and password leads. */
const firstPasskey = (visit: Visit) =>
  sendPage(visit, { title: text.firstPasskeyTitle, section: null }, (frame) => FirstPasskeyPage({ frame }));

/** POST /team/passkeys/remove: only the member's own. */
async function deletePasskey(deps: Clock & { database: Database }, visit: Visit) {
  const id = visit.form.get('id') ?? '';
  const by = { ...byOf(deps, visit), sessionId: visit.session.id };
  await removePasskey(deps.database, visit.session.member, id, by);
  return redirectTo(visit, '/team', 'passkeyRemoved');
}

/** GET /confirm: the page on which the member confirms their identity before a sensitive action. */
async function confirm(deps: ConfirmDeps, visit: Visit, why: FormError | null = null) {
  const to = visit.form.get('to') ?? visit.query.get('to') ?? '';
  const back = visit.form.get('back') ?? visit.query.get('back') ?? '';
  const { id } = visit.session.member;
  const [passkeys, known, email] = await Promise.all([
    listPasskeys(deps.database, id),
    findPassword(deps.database, id),
    findMemberEmail(deps.database, id),
  ]);
  const provider = email === null ? null : (deps.identityProvider?.name ?? null);
  return sendPage(visit, { title: text.confirmTitle, section: null, ...why }, (frame) =>
    ConfirmPage({
      frame,
      to,
      back: safeRedirectPath(back),
      hasPasskey: passkeys.length > 0,
      hasPassword: known !== null,
      provider,
    }),
  );
}

/** POST /confirm/passkey: confirms by passkey, and redirects back. */
async function confirmByPasskey(deps: ConfirmDeps & PasskeyDeps, visit: Visit) {
  const { session, form, reply } = visit;
  const signer = await verifyPasskey(deps, session.member, form.get('credential') ?? '');
  if ('failed' in signer) {
    logFailedSignIn(deps, reply.request, 'passkey', signer);
    return confirm(deps, visit, formError(text.confirmPasskeyFailed, 403));
  }
  return confirmed(deps, visit);
}

/** POST /confirm/password: confirms by password and second factor. */
async function confirmByPassword(deps: ConfirmDeps & PasswordDeps, visit: Visit) {
  const typed = { password: visit.form.get('password') ?? '', code: visit.form.get('code') ?? '' };
  const signer = await verifyMember(deps, visit.session, typed);
  if ('failed' in signer) {
    logFailedSignIn(deps, visit.reply.request, 'password', { ...signer, memberId: visit.session.member.id });
    return confirm(deps, visit, wrongPassword);
  }
  return confirmed(deps, visit);
}

async function confirmed(deps: ConfirmDeps, { session, form, reply }: Visit) {
  const { secret, secretHash } = sessionSecret(deps);
  await confirmSession(deps.database, session.id, secretHash, new Date(deps.now()));
  const path = safeRedirectPath(form.get('to'));
  return setSessionCookie(reply, secret).redirect(
    `${path}${path.includes('?') ? '&' : '?'}done=confirmed`,
    303,
  );
}

/**
 * GET /team/password: a new second factor, and the form that sets it with a password. Right after it was set,
 * shows its recovery codes once.
 */
async function password(deps: PasswordDeps, visit: Visit, why: FormError | null = null) {
  const { member } = visit.session;
  const made = takeSecret(deps, visit, 'recoveryCodes');
  const codes = made === null ? null : (JSON.parse(made) as string[]);
  const factor = secondFactor(member, visit.form.get('secret') ?? '');
  const known = await findPassword(deps.database, member.id);
  const login = visit.form.get('login') ?? known?.login ?? '';
  const back = { href: `${visit.frame.base}/team`, label: texts.team.title };
  return sendPage(visit, { title: text.passwordTitle, section: 'team', back, ...why }, (frame) =>
    PasswordPage({ frame, factor, login, codes, replaces: known !== null }),
  );
}

/** POST /team/password: sets the password, and shows its recovery codes once. */
async function savePassword(deps: PasswordDeps, visit: Visit) {
  const { member, merchantName } = visit.session;
  const field = (name: string): string => visit.form.get(name) ?? '';
  const chosen = {
    login: field('login'),
    password: field('password'),
    code: field('code'),
    secret: field('secret'),
    about: [merchantName, (await findMemberEmail(deps.database, member.id)) ?? ''],
  };
  const by = { ...byOf(deps, visit), sessionId: visit.session.id };
  const set = await choosePassword(deps, member, chosen, by);
  return 'error' in set
    ? password(deps, visit, rejectionOf(set))
    : redirectToSecret(deps, visit, '/team/password', { kind: 'recoveryCodes', text: JSON.stringify(set) });
}

const rejectionOf = ({ error, field }: PasswordProblem): FormError =>
  field === null ? formError(error) : fieldError(field, error);

const own = { permission: 'own' } as const;

export type OwnSignInDeps = ConfirmDeps & PasskeyDeps & PasswordDeps & TeamPageDeps & StoredPagesDeps;

export const ownSignInRoutes = (deps: OwnSignInDeps): readonly DashboardRoute[] => [
  { ...own, method: 'GET', path: firstPasskeyPath, handle: firstPasskey },
  {
    ...own,
    method: 'GET',
    path: '/team/passkeys/options',
    fresh: true,
    handle: (visit) => newPasskeyOptions(deps, visit),
  },
  { ...own, method: 'POST', path: '/team/passkeys', fresh: true, handle: (visit) => addPasskey(deps, visit) },
  {
    ...own,
    method: 'POST',
    path: '/team/passkeys/remove',
    fresh: true,
    handle: (visit) => deletePasskey(deps, visit),
  },
  { ...own, method: 'GET', path: '/confirm', handle: (visit) => confirm(deps, visit) },
  {
    ...own,
    method: 'GET',
    path: '/continue',
    fresh: true,
    handle: (visit) => continueForm(deps, visit),
  },
  {
    ...own,
    method: 'POST',
    path: '/team/sign-in-warning',
    handle: async (visit) => {
      await endWarnings(deps.database, visit.session.member);
      return redirectTo(visit, '', 'warningSeen');
    },
  },
  { ...own, method: 'GET', path: '/confirm/options', handle: (visit) => challenge(deps, visit) },
  { ...own, method: 'POST', path: '/confirm/passkey', handle: (visit) => confirmByPasskey(deps, visit) },
  { ...own, method: 'POST', path: '/confirm/password', handle: (visit) => confirmByPassword(deps, visit) },
  {
    ...own,
    method: 'GET',
    path: '/team/password',
    fresh: true,
    handle: (visit) => password(deps, visit),
  },
  {
    ...own,
    method: 'POST',
    path: '/team/password',
    fresh: true,
    isSecret: true,
    handle: (visit) => savePassword(deps, visit),
  },
];
