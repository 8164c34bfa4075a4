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
import type { Clock } from '../visit.ts';
import type { SignInResult } from './failed-sign-in.ts';
import { isWeakPassword } from './weak-passwords.ts';

export interface PasswordDeps extends Clock {
  database: Database;
  keyring: Keyring;
}

/** argon2id with what OWASP asks for: 19 MiB, two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Compared with where there is no such sign-in name, or it has to wait, so that the time tells nothing. */
const nobody = hash(randomBase62(24), cost);
/** Seconds a code is good for. */
const stepSeconds = 30;
const recoveryCodes = 10;

/** What somebody types. */
export interface Typed {
  password: string;
  code: string;
}

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: 'Card payments', label, secret: Secret.fromBase32(secret), period: stepSeconds });

const factorSecret = /^[A-Z2-7]{32}$/;

/**
 * Returns a second factor: its secret, and the address an authenticator app reads. A new one, unless it is
 * `known`: what an app has read already stays.
 */
export function secondFactor(member: Member, known: string): { secret: string; uri: string } {
  const secret = factorSecret.test(known) ? known : new Secret({ size: 20 }).base32;
  return { secret, uri: totpOf(secret, member.name).toString() };
}

/** Whether it looks like a code of an authenticator app; a recovery code does not. */
const isCode = (code: string): boolean => /^\d{6}$/.test(code.replaceAll(/\s/g, ''));

/** Returns the time step a code is of, now or one step off; null for a wrong one. */
function stepOf(secret: string, code: string, nowMs: number): number | null {
  if (!isCode(code)) return null;
  const token = code.replaceAll(/\s/g, '');
  const delta = totpOf(secret, '').validate({ token, timestamp: nowMs, window: 1 });
  return delta === null ? null : Math.floor(nowMs / 1000 / stepSeconds) + delta;
}

const hashOfCode = (code: string): Buffer =>
  createHash('sha256').update(code.replaceAll(/[\s-]/g, '')).digest();

/** Returns whom a sign-in name, a password and a code of the second factor sign in, or what was wrong. */
export async function verifySignIn(deps: PasswordDeps, login: string, typed: Typed): Promise<SignInResult> {
  const name = canonicalLogin(login);
  return tried(deps, await findPasswordByLogin(deps.database, name), typed, name);
}

/** The same for a member who shows again who they are, with their own password and code. */
export async function verifyMember(deps: PasswordDeps, member: Member, typed: Typed): Promise<SignInResult> {
  return tried(deps, await findPassword(deps.database, member.id), typed, member.id);
}

async function tried(
  deps: PasswordDeps,
  known: StoredPassword | null,
  typed: Typed,
  name: string,
): Promise<SignInResult> {
  const now = new Date(deps.now());
  const open = known !== null && (await takePasswordTry(deps.database, known.member.id, now));
  const fits = await verify(open ? known.passwordHash : await nobody, typed.password);
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

/** Sign-in names are the same in any case of letters. */
const canonicalLogin = (login: string): string => login.trim().toLowerCase();

/**
 * Sets a member's password with its second factor. Returns new recovery codes, to be shown this once, or why
 * it was not set. `about`: what a guesser knows of the member beside the names.
 */
export async function choosePassword(
  deps: PasswordDeps,
  member: Member,
  chosen: Typed & { login: string; secret: string; about: readonly string[] },
  by: By,
): Promise<string[] | { refused: string }> {
  const login = canonicalLogin(chosen.login);
  if (!/^[^\s\p{C}]{3,255}$/u.test(login)) return { refused: 'the sign-in name must be 3 to 255 characters' };
  if (!isLengthWithin(chosen.password, 12, 1_000)) {
    return { refused: 'the password must have at least 12 characters' };
  }
  if (await isWeakPassword(chosen.password, [login, member.name, ...chosen.about])) {
    return { refused: 'the password is too easy to guess: take four words that belong nowhere together' };
  }
  if (!factorSecret.test(chosen.secret)) return { refused: 'begin again' };
  const step = stepOf(chosen.secret, chosen.code, deps.now());
  if (step === null) return { refused: 'the code does not fit: is the clock of the device right?' };
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
  return set ? codes : { refused: 'somebody has this sign-in name already' };
}
