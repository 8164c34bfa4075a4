import { createHash } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { Secret, TOTP } from 'otpauth';
import { sealContext } from '../../crypto/seal-contexts.ts';
import { randomBase62 } from '../../crypto/secrets.ts';
import {
  findPassword,
  findPasswordByLogin,
  setPassword,
  type StoredPassword,
  takeCodeStep,
  takeRecoveryCode,
} from '../../db/members/member-passwords.ts';
import {
  everyNetwork,
  deleteTries,
  recordAttack,
  takeTry,
  type TryLane,
} from '../../db/members/sign-in-tries.ts';
import type { Session } from '../../db/members/member-sessions.ts';
import type { By } from '../../domain/audit.ts';
import type { Member } from '../../domain/members.ts';
import { isLengthWithin } from '../../domain/text.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Database } from '../../db/server/database.ts';
import { texts } from '../texts/en.ts';
import type { Clock } from '../visit.ts';
import type { SignInFailure, SignInResult } from './failed-sign-in.ts';
import { createHashQueue } from './hash-queue.ts';
import { isWeakPassword } from './weak-passwords.ts';

const text = texts.signIn;

export interface PasswordDeps extends Clock {
  database: Database;
  keyring: Keyring;
}

/** argon2id with the parameters that OWASP recommends: 19 MiB, two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/**
 * Browsers that signed in before, and signed-in members, have a queue of their own, so that a flood of
 * sign-ins fills only the queue of strangers.
 */
const queues = { stranger: createHashQueue(), known: createHashQueue() };

/** Verified when no member has the sign-in name or it has to wait, so that the response time is the same. */
const decoyHash = hash(randomBase62(24), cost);
/** The seconds for which a code is valid. */
const stepSeconds = 30;
const recoveryCodes = 10;

/** A typed password with a code. */
export interface TypedCredentials {
  password: string;
  code: string;
}

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: 'Card payments', label, secret: Secret.fromBase32(secret), period: stepSeconds });

const factorSecret = /^[A-Z2-7]{32}$/;

/**
 * Returns a second factor: its secret, and the URI for an authenticator app. `known`: a secret that the app
 * may have scanned already; it is kept.
 */
export function secondFactor(member: Member, known: string): { secret: string; uri: string } {
  const secret = factorSecret.test(known) ? known : new Secret({ size: 20 }).base32;
  return { secret, uri: totpOf(secret, member.name).toString() };
}

/** Whether the text has the form of an authenticator app's code, unlike a recovery code. */
const isCode = (code: string): boolean => /^\d{6}$/.test(code.replaceAll(/\s/g, ''));

/** Returns the time step of a code, the current one or an adjacent one; null for a wrong code. */
function stepOf(secret: string, code: string, nowMs: number): number | null {
  if (!isCode(code)) return null;
  const token = code.replaceAll(/\s/g, '');
  const delta = totpOf(secret, '').validate({ token, timestamp: nowMs, window: 1 });
  return delta === null ? null : Math.floor(nowMs / 1000 / stepSeconds) + delta;
}

const hashOfCode = (code: string): Buffer =>
  createHash('sha256').update(code.replaceAll(/[\s-]/g, '')).digest();

/** The origin of a sign-in, which decides where its wrong tries for a member are counted. */
export interface SignInOrigin {
  laneOf: (memberId: string) => TryLane & { isKnown: boolean };
  /** Whether any member signed in with this browser before. */
  isKnownBrowser: boolean;
  address: string;
}

/**
 * Returns the member with this sign-in name, password and code of the second factor, or why the sign-in
 * failed. Refuses rate_limited if too many sign-ins are waiting.
 */
export async function verifySignIn(
  deps: PasswordDeps,
  login: string,
  typed: TypedCredentials,
  origin: SignInOrigin,
): Promise<SignInResult> {
  const queued = origin.isKnownBrowser ? queues.known : queues.stranger;
  return queued(() => verifyInTurn(deps, login, typed, origin));
}

async function verifyInTurn(
  deps: PasswordDeps,
  login: string,
  typed: TypedCredentials,
  { laneOf, address }: SignInOrigin,
): Promise<SignInResult> {
  const name = canonicalLogin(login);
  const known = await findPasswordByLogin(deps.database, name);
  if (known === null) return verifyCredentials(deps, null, typed, { name, lanes: [] });
  const { member } = known;
  const lane = laneOf(member.id);
  const lanes = lane.isKnown ? [lane] : [lane, everyNetwork];
  return verifyCredentials(deps, known, typed, {
    name,
    lanes,
    failed: async (tries) => {
      const at = new Date(deps.now());
      if (!lane.isKnown) await recordAttack(deps.database, member, tries, { address, at });
    },
  });
}

/**
 * The same for a signed-in member who confirms their identity; counted per session, separately from sign-ins.
 */
export async function verifyMember(
  deps: PasswordDeps,
  { id, member }: Pick<Session, 'id' | 'member'>,
  typed: TypedCredentials,
): Promise<SignInResult> {
  const lanes = [{ name: `confirm:${id}`, free: 3, maxSeconds: 900 }];
  return queues.known(async () => {
    const known = await findPassword(deps.database, member.id);
    return verifyCredentials(deps, known, typed, { name: member.id, lanes });
  });
}

interface Counting {
  name: string;
  lanes: readonly TryLane[];
  /** Called with the number of failed tries of all networks together. */
  failed?: (tries: number) => Promise<void>;
}

async function verifyCredentials(
  deps: PasswordDeps,
  known: StoredPassword | null,
  typed: TypedCredentials,
  { name, lanes, failed }: Counting,
): Promise<SignInResult> {
  const now = new Date(deps.now());
  let tries: number | null = 0;
  // The last lane counts all networks, unless the browser is known.
  for (const lane of known === null ? [] : lanes) {
    tries = await takeTry(deps.database, known?.member.id ?? '', lane, now);
    if (tries === null) break;
  }
  const open = known !== null && tries !== null;
  const fits = await verify(open ? known.passwordHash : await decoyHash, typed.password);
  if (known === null) return { failed: 'unknown name', memberId: null, name };
  const memberId = known.member.id;
  if (!open) return { failed: 'has to wait', memberId };
  const why = fits ? await wrongCode(deps, known, typed.code) : 'wrong password';
  if (why !== null) {
    await failed?.(tries ?? 0);
    return { failed: why, memberId };
  }
  await deleteTries(
    deps.database,
    memberId,
    lanes.map((lane) => lane.name),
  );
  return { member: known.member };
}

/** Uses a code of the second factor or a recovery code. Returns why it is refused; null if it is accepted. */
async function wrongCode(
  deps: PasswordDeps,
  { member, totpSealed }: StoredPassword,
  code: string,
): Promise<SignInFailure | null> {
  const memberId = member.id;
  const secret = deps.keyring.open(totpSealed, sealContext.secondFactor(memberId));
  const step = stepOf(secret, code, deps.now());
  if (step !== null) return (await takeCodeStep(deps.database, memberId, step)) ? null : 'code used before';
  const now = new Date(deps.now());
  if (await takeRecoveryCode(deps.database, memberId, hashOfCode(code), now)) return null;
  return isCode(code) ? 'wrong code' : 'wrong recovery code';
}

/** Sign-in names are case-insensitive. */
const canonicalLogin = (login: string): string => login.trim().toLowerCase();

/** Why a new password was rejected, and the field of its form that is at fault. */
export interface PasswordProblem {
  error: string;
  field: 'login' | 'password' | 'code' | null;
}

/**
 * Sets a member's password with its second factor. Returns new recovery codes, to be shown once, or why it
 * was rejected. `about`: names that a guesser would try, besides the member's.
 */
export async function choosePassword(
  deps: PasswordDeps,
  member: Member,
  chosen: TypedCredentials & { login: string; secret: string; about: readonly string[] },
  by: By & { sessionId: string },
): Promise<string[] | PasswordProblem> {
  const login = canonicalLogin(chosen.login);
  if (!/^[^\s\p{C}]{3,255}$/u.test(login)) return { error: text.invalidLogin, field: 'login' };
  if (!isLengthWithin(chosen.password, 12, 1_000)) {
    return { error: text.passwordTooShort, field: 'password' };
  }
  if (await isWeakPassword(chosen.password, [login, member.name, ...chosen.about])) {
    return { error: text.weakPassword, field: 'password' };
  }
  if (!factorSecret.test(chosen.secret)) return { error: text.invalidFactor, field: null };
  const step = stepOf(chosen.secret, chosen.code, deps.now());
  if (step === null) return { error: text.wrongAppCode, field: 'code' };
  const codes = Array.from(
    { length: recoveryCodes },
    () => `${randomBase62(6)}-${randomBase62(6)}-${randomBase62(6)}`,
  );
  const set = await setPassword(
    deps.database,
    member,
    {
      login,
      passwordHash: await queues.known(() => hash(chosen.password, cost)),
      totpSealed: deps.keyring.seal(chosen.secret, sealContext.secondFactor(member.id)),
      step,
      codeHashes: codes.map(hashOfCode),
    },
    by,
  );
  return set ? codes : { error: text.loginTaken, field: 'login' };
}
