import { createHash } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { Secret, TOTP } from 'otpauth';
import { sealContext } from '../../crypto/seal-contexts.ts';
import { randomBase62 } from '../../crypto/secrets.ts';
import {
  findPassword,
  findPasswordByLogin,
  forgetTries,
  setPassword,
  type StoredPassword,
  takeCodeStep,
  takePasswordTry,
  takeRecoveryCode,
} from '../../db/members/member-passwords.ts';
import type { By } from '../../domain/audit.ts';
import type { Member } from '../../domain/members.ts';
import { isLengthWithin } from '../../domain/text.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Database } from '../../db/server/database.ts';
import { texts } from '../texts/en.ts';
import type { Clock } from '../visit.ts';
import type { SignInResult } from './failed-sign-in.ts';
import { isWeakPassword } from './weak-passwords.ts';

const text = texts.signIn;

export interface PasswordDeps extends Clock {
  database: Database;
  keyring: Keyring;
}

/** argon2id with the parameters that OWASP recommends: 19 MiB, two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Verified where no member has the sign-in name or it has to wait, so that the response time is the same. */
const decoyHash = hash(randomBase62(24), cost);
/** Seconds that a code is valid. */
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
 * Returns a second factor: its secret, and the URI for an authenticator app. `known`: the secret that the app
 * may have scanned already, which is kept.
 */
export function secondFactor(member: Member, known: string): { secret: string; uri: string } {
  const secret = factorSecret.test(known) ? known : new Secret({ size: 20 }).base32;
  return { secret, uri: totpOf(secret, member.name).toString() };
}

/** Whether it has the form of an authenticator app's code, unlike a recovery code. */
const isCode = (code: string): boolean => /^\d{6}$/.test(code.replaceAll(/\s/g, ''));

/** Returns the time step of a code, the current one or a neighbour; null for a wrong code. */
function stepOf(secret: string, code: string, nowMs: number): number | null {
  if (!isCode(code)) return null;
  const token = code.replaceAll(/\s/g, '');
  const delta = totpOf(secret, '').validate({ token, timestamp: nowMs, window: 1 });
  return delta === null ? null : Math.floor(nowMs / 1000 / stepSeconds) + delta;
}

const hashOfCode = (code: string): Buffer =>
  createHash('sha256').update(code.replaceAll(/[\s-]/g, '')).digest();

/**
 * Returns the member of a sign-in name, a password and a code of the second factor, or why the sign-in
 * failed.
 */
export async function verifySignIn(
  deps: PasswordDeps,
  login: string,
  typed: TypedCredentials,
): Promise<SignInResult> {
  const name = canonicalLogin(login);
  return verifyCredentials(deps, await findPasswordByLogin(deps.database, name), typed, name);
}

/** The same for a signed-in member who confirms who they are. */
export async function verifyMember(
  deps: PasswordDeps,
  member: Member,
  typed: TypedCredentials,
): Promise<SignInResult> {
  return verifyCredentials(deps, await findPassword(deps.database, member.id), typed, member.id);
}

async function verifyCredentials(
  deps: PasswordDeps,
  known: StoredPassword | null,
  typed: TypedCredentials,
  name: string,
): Promise<SignInResult> {
  const now = new Date(deps.now());
  const open = known !== null && (await takePasswordTry(deps.database, known.member.id, now));
  const fits = await verify(open ? known.passwordHash : await decoyHash, typed.password);
  if (known === null) return { failed: 'unknown name', memberId: null, name };
  const { member, totpSealed } = known;
  const memberId = member.id;
  if (!open) return { failed: 'has to wait', memberId };
  if (!fits) return { failed: 'wrong password', memberId };
  const secret = deps.keyring.open(totpSealed, sealContext.secondFactor(memberId));
  const step = stepOf(secret, typed.code, deps.now());
  if (step !== null && !(await takeCodeStep(deps.database, memberId, step))) {
    return { failed: 'code used before', memberId };
  }
  if (step === null && !(await takeRecoveryCode(deps.database, memberId, hashOfCode(typed.code), now))) {
    return { failed: isCode(typed.code) ? 'wrong code' : 'wrong recovery code', memberId };
  }
  await forgetTries(deps.database, memberId);
  return { member };
}

/** Sign-in names are case-insensitive. */
const canonicalLogin = (login: string): string => login.trim().toLowerCase();

/**
 * Sets a member's password with its second factor. Returns new recovery codes, to be shown once, or why it
 * was rejected. `about`: names that a guesser would try, beside the member's.
 */
export async function choosePassword(
  deps: PasswordDeps,
  member: Member,
  chosen: TypedCredentials & { login: string; secret: string; about: readonly string[] },
  by: By,
): Promise<string[] | { error: string }> {
  const login = canonicalLogin(chosen.login);
  if (!/^[^\s\p{C}]{3,255}$/u.test(login)) return { error: text.invalidLogin };
  if (!isLengthWithin(chosen.password, 12, 1_000)) {
    return { error: text.passwordTooShort };
  }
  if (await isWeakPassword(chosen.password, [login, member.name, ...chosen.about])) {
    return { error: text.weakPassword };
  }
  if (!factorSecret.test(chosen.secret)) return { error: text.invalidFactor };
  const step = stepOf(chosen.secret, chosen.code, deps.now());
  if (step === null) return { error: text.wrongAppCode };
  const codes = Array.from(
    { length: recoveryCodes },
    () => `${randomBase62(6)}-${randomBase62(6)}-${randomBase62(6)}`,
  );
  const set = await setPassword(
    deps.database,
    member,
    {
      login,
      passwordHash: await hash(chosen.password, cost),
      totpSealed: deps.keyring.seal(chosen.secret, sealContext.secondFactor(member.id)),
      step,
      codeHashes: codes.map(hashOfCode),
    },
    by,
  );
  return set ? codes : { error: text.loginTaken };
}
