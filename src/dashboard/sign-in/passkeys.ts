import type {
  AuthenticationResponseJSON,
  AuthenticatorTransportFuture,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import {
  findPasskey,
  storeChallenge,
  listPasskeys,
  recordPasskeyUse,
  type StoredPasskey,
  takeChallenge,
} from '../../db/members/passkeys.ts';
import type { Member } from '../../domain/members.ts';
import type { Database } from '../../db/server/database.ts';
import type { Clock } from '../visit.ts';
import type { SignInResult } from './failed-sign-in.ts';

export interface PasskeyDeps extends Clock {
  database: Database;
  /** The address of the dashboard in browsers, without a trailing slash. Passkeys belong to its host. */
  dashboardUrl: string;
}

/** Loaded for the first passkey: it takes a tenth of a second, which would delay every start. */
const webauthn = () => import('@simplewebauthn/server');

/** Longest answer of an authenticator that is read, in characters. */
const longestAnswer = 20_000;

const partyOf = ({ dashboardUrl }: PasskeyDeps): { rpId: string; origin: string } => {
  const { hostname, origin } = new URL(dashboardUrl);
  return { rpId: hostname, origin };
};

/** Returns the options with which a browser creates a new passkey. */
export async function creationOptions(deps: PasskeyDeps, member: Member, merchantName: string) {
  const known = await listPasskeys(deps.database, member.id);
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: `${merchantName} payments`,
    rpID: partyOf(deps).rpId,
    userName: `${member.name}, ${merchantName}`,
    userDisplayName: member.name,
    userID: new TextEncoder().encode(member.id),
    excludeCredentials: known.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await storeChallenge(deps.database, options.challenge, member.id, new Date(deps.now()));
  return options;
}

/**
 * Returns the challenge for a passkey to sign: one of the member's passkeys, or any if no member is signed
 * in.
 */
export async function requestOptions(deps: PasskeyDeps, member: Member | null) {
  const own = member === null ? [] : await listPasskeys(deps.database, member.id);
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: partyOf(deps).rpId,
    userVerification: 'required',
    allowCredentials: own.map(({ id }) => ({ id })),
  });
  await storeChallenge(deps.database, options.challenge, member?.id ?? null, new Date(deps.now()));
  return options;
}

/** Returns the passkey that a browser created, or null if it does not answer a challenge of this service. */
export async function verifyNewPasskey(
  deps: PasskeyDeps,
  member: Member,
  answer: string,
): Promise<StoredPasskey | null> {
  const { rpId, origin } = partyOf(deps);
  const { verifyRegistrationResponse } = await webauthn();
  try {
    const { registrationInfo, verified } = await verifyRegistrationResponse({
      response: parsed(answer) as RegistrationResponseJSON,
      expectedChallenge: (challenge) =>
        takeChallenge(deps.database, challenge, member.id, new Date(deps.now())),
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
    });
    if (!verified || !registrationInfo) return null;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return { id, publicKey: Buffer.from(publicKey), counter, transports };
  } catch (error) {
    return unverified(error);
  }
}

/**
 * Returns the member whom a passkey signs in, or why it failed. `asked`: the member who must answer; null for
 * any.
 */
export async function verifyPasskey(
  deps: PasskeyDeps,
  asked: Member | null,
  answer: string,
): Promise<SignInResult> {
  const { rpId, origin } = partyOf(deps);
  const { verifyAuthenticationResponse } = await webauthn();
  const now = new Date(deps.now());
  let memberId = asked?.id ?? null;
  try {
    const response = parsed(answer) as AuthenticationResponseJSON;
    const found = typeof response.id === 'string' ? await findPasskey(deps.database, response.id) : null;
    if (!found) return { failed: 'unknown passkey', memberId };
    const { passkey, member } = found;
    if (asked !== null && member.id !== asked.id) return { failed: "another member's passkey", memberId };
    memberId = member.id;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => takeChallenge(deps.database, challenge, asked?.id ?? null, now),
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: passkey.id,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
        transports: passkey.transports as AuthenticatorTransportFuture[],
      },
    });
    if (!verified) return { failed: 'passkey does not verify', memberId };
    const isNew = await recordPasskeyUse(deps.database, passkey.id, authenticationInfo.newCounter, now);
    return isNew ? { member } : { failed: 'passkey answer used before', memberId };
  } catch (error) {
    return unverified(error) ?? { failed: 'passkey does not verify', memberId };
  }
}

function parsed(answer: string): object {
  const value: unknown = answer.length > longestAnswer ? null : JSON.parse(answer);
  if (typeof value !== 'object' || value === null) throw new SyntaxError('no answer of a passkey');
  return value;
}

/**
 * Returns null for the library's errors, which mean that the answer is invalid; throws PostgreSQL's errors.
 */
function unverified(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code !== undefined && 'severity' in error)
    throw error;
  return null;
}
