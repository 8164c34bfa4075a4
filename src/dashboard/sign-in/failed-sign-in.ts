import type { FastifyRequest } from 'fastify';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import type { Member } from '../../domain/members.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { callerAddress } from '../../http/request.ts';

/** Why a sign-in failed. Logged, and never shown to the visitor. */
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
  | 'the team is full'
  | 'refused by the identity provider'
  | 'begun elsewhere, or too long ago'
  | 'no member has the address'
  | 'another identity is bound'
  | 'the identity provider is required';

/** The method of a sign-in or confirmation. */
export type SignInMeans = 'password' | 'passkey' | 'link' | 'identityProvider';

/** A failed sign-in: its reason, and the member if known. */
export interface FailedSignIn {
  failed: SignInFailure;
  memberId: string | null;
  /** The given name or address, if no member may have it. It is logged as a keyed hash. */
  name?: string | undefined;
}

/** The signed-in member, or the reason why the sign-in failed. */
export type SignInResult = { member: Member } | FailedSignIn;

/**
 * Logs a failed sign-in: its method, reason and address, and either the member or a keyed hash of the typed
 * name. The hash shows that failures are about the same name; the name itself is never logged.
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
