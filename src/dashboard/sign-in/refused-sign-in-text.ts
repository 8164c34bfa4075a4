import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keyring } from '../../crypto/keyring.ts';
import { sealContext } from '../../crypto/seal-contexts.ts';
import { formError, type FormError, wrongPassword } from '../parts/form-error.ts';
import { texts } from '../texts/en.ts';
import { hostCookieRules } from './session-cookie.ts';

const text = texts.signIn;

/** A refused sign-in, with the typed name, which the form keeps. */
interface RefusedSignIn {
  /** `providerOnly`: the member must sign in at the identity provider. */
  means: 'passkey' | 'password' | 'providerOnly';
  login: string | null;
}

/** Returns the text with which the sign-in page explains a refusal. */
export function refusedSignInText(
  { identityProvider }: { identityProvider: { name: string } | null },
  { means }: RefusedSignIn,
): FormError {
  if (means === 'password') return wrongPassword;
  if (means === 'passkey') return formError(text.passkeyFailed, 403);
  return formError(text.providerOnly(identityProvider?.name ?? null), 403);
}

/** Carries the refusal to the sign-in page once, sealed. */
const refusalCookie = '__Host-dashboard-refused';

/**
 * Redirects to the sign-in page, which shows the reason, so that Back and reload never send the form again.
 */
export function refuseSignIn(
  { keyring }: { keyring: Keyring },
  reply: FastifyReply,
  { to, ...refused }: RefusedSignIn & { to: string },
): FastifyReply {
  const sealed = keyring.seal(JSON.stringify(refused), sealContext.refusedSignIn());
  return reply
    .setCookie(refusalCookie, sealed.toString('base64url'), { ...hostCookieRules, maxAge: 60 })
    .redirect(`/dashboard/sign-in?${new URLSearchParams({ to, refused: '1' }).toString()}`, 303);
}

/** Returns the refusal that led a visitor here, and deletes its cookie; null if there is none. */
export function takeRefusal(
  { keyring }: { keyring: Keyring },
  request: FastifyRequest,
  reply: FastifyReply,
): RefusedSignIn | null {
  const sealed = request.cookies[refusalCookie];
  if (sealed === undefined) return null;
  void reply.clearCookie(refusalCookie, hostCookieRules);
  try {
    return JSON.parse(
      keyring.open(Buffer.from(sealed, 'base64url'), sealContext.refusedSignIn()),
    ) as RefusedSignIn;
  } catch {
    return null;
  }
}
