import type { FastifyRequest } from 'fastify';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import type { Member } from '../../domain/members.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { callerAddress } from '../../http/request.ts';

/** Why somebody was not let in. Logged, and never told to whoever tried. */
export type SignInFailure =
  | 'too many tries'
  | 'unknown name'
  | 'has to wait'
  | 'wrong password'
  | 'wrong code'
  | 'code used before'
  | 'wrong recovery code'
  | 'unknown passkey'
  | "another member's passkey"
  | 'passkey does not verify'
  | 'passkey answer used before'
  | 'link unknown, used or over'
  | 'refused by the identity provider'
  | 'begun elsewhere, or too long ago'
  | 'no member has the address';

/** The way by which somebody tried to get in, or to show again who they are. */
export type SignInMeans = 'password' | 'passkey' | 'link' | 'identityProvider';

/** A failed try: why, and whose where that is known. */
export interface FailedSignIn {
  failed: SignInFailure;
  memberId: string | null;
  /** The name or address that was typed or given, where it may be nobody's. It is logged as a keyed hash. */
  name?: string | undefined;
}

/** Who was let in, or why nobody was. */
export type SignInResult = { member: Member } | FailedSignIn;

/**
 * Logs a failed sign-in: by which means, why, from which address, and who: the member, or a keyed hash of the
 * name that was typed, which tells tries of one name together. What was typed is never logged.
 * docs/operations.md, "Logs".
 */
export function logFailedSignIn(
  { keyring }: { keyring: Keyring },
  request: FastifyRequest,
  means: SignInMeans,
  { failed, memberId, name }: FailedSignIn,
): void {
  const nameHash =
    memberId === null && name !== undefined
      ? keyring.lookupHash(hashPurposes.signInName, name).subarray(0, 16).toString('hex')
      : undefined;
  request.log.warn(
    { means, reason: failed, memberId: memberId ?? undefined, nameHash, address: callerAddress(request) },
    'a sign-in failed',
  );
}
