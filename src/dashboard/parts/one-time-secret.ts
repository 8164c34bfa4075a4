import type { FastifyReply } from 'fastify';
import { sealContext } from '../../crypto/seal-contexts.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { hostCookieRules } from '../sign-in/session-cookie.ts';
import { type Clock, redirectTo, type Visit } from '../visit.ts';

/** The cookie that carries a new secret, encrypted, to the page that shows it. */
const onceCookie = '__Host-dashboard-once';
/** How long the cookie is valid, in ms. */
const maxAgeMs = 60_000;

/** The dependencies for encrypting the cookie. */
export interface OneTimeSecretDeps extends Clock {
  keyring: Keyring;
}

/** The secrets that are shown only once. */
export type OneTimeSecretKind = 'key' | 'endpoint' | 'invitation' | 'recoveryCodes';

interface Shown {
  kind: OneTimeSecretKind;
  text: string;
  at: number;
}

/**
 * Redirects to the page that shows a new secret once, in the same browser and within a minute. If the form's
 * own answer showed the secret, a reload would create another one.
 */
export function redirectToSecret(
  deps: OneTimeSecretDeps,
  visit: Visit,
  path: string,
  { kind, text }: { kind: OneTimeSecretKind; text: string },
): FastifyReply {
  const shown: Shown = { kind, text, at: deps.now() };
  const sealed = deps.keyring.seal(JSON.stringify(shown), sealContext.shownOnce(visit.session.id));
  void visit.reply.setCookie(onceCookie, sealed.toString('base64url'), {
    ...hostCookieRules,
    maxAge: maxAgeMs / 1000,
  });
  return redirectTo(visit, path);
}

/**
 * Returns the secret that a form of this browser just created, and deletes the cookie; null if there is none.
 */
export function takeSecret(deps: OneTimeSecretDeps, visit: Visit, kind: OneTimeSecretKind): string | null {
  const sealed = visit.request.cookies[onceCookie];
  if (sealed === undefined) return null;
  void visit.reply.clearCookie(onceCookie, hostCookieRules);
  try {
    const text = deps.keyring.open(Buffer.from(sealed, 'base64url'), sealContext.shownOnce(visit.session.id));
    const shown = JSON.parse(text) as Shown;
    return shown.kind === kind && deps.now() - shown.at < maxAgeMs ? shown.text : null;
  } catch {
    // The cookie is from another session, or was not made by this service.
    return null;
  }
}
