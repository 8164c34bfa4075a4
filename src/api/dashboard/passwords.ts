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
} from '../../db/member-passwords.ts';
import type { By } from '../../domain/audit.ts';
import type { Member } from '../../domain/members.ts';
import { isLengthWithin } from '../../domain/text.ts';
import type { ApiDeps } from '../deps.ts';

type PasswordDeps = Pick<ApiDeps, 'database' | 'keyring' | 'now'>;

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

/** Returns the time step a code is of, now or one step off; null for a wrong one. */
function stepOf(secret: string, code: string, nowMs: number): number | null {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const delta = totpOf(secret, '').validate({ token, timestamp: nowMs, window: 1 });
  return delta === null ? null : Math.floor(nowMs / 1000 / stepSeconds) + delta;
}

const hashOfCode = (code: string): Buffer =>
  createHash('sha256').update(code.replaceAll(/[\s-]/g, '')).digest();

/** Whom a sign-in name, a password and a code of the second factor sign in; null for whatever is wrong. */
export async function signedInBy(deps: PasswordDeps, login: string, typed: Typed): Promise<Member | null> {
  const known = await findPasswordByLogin(deps.database, canonicalLogin(login));
  return (await isRight(deps, known, typed)) ? (known?.member ?? null) : null;
}

/** Whether a member typed their own password and code. */
export async function confirmedBy(deps: PasswordDeps, member: Member, typed: Typed): Promise<boolean> {
  const known = await findPassword(deps.database, member.id);
  return isRight(deps, known, typed);
}

async function isRight(deps: PasswordDeps, known: StoredPassword | null, typed: Typed): Promise<boolean> {
  const now = new Date(deps.now());
  const tried = known !== null && (await takePasswordTry(deps.database, known.member.id, now)) ? known : null;
  const fits = await verify(tried?.passwordHash ?? (await nobody), typed.password);
  if (tried === null || !fits) return false;
  const { totpSealed } = tried;
  const { id } = tried.member;
  const secret = deps.keyring.open(totpSealed, sealContext.secondFactor(id));
  const step = stepOf(secret, typed.code, deps.now());
  const right =
    step === null
      ? await takeRecoveryCode(deps.database, id, hashOfCode(typed.code), now)
      : await takeCodeStep(deps.database, id, step);
  if (right) await forgetTries(deps.database, id);
  return right;
}

/** Sign-in names are the same in any case of letters. */
const canonicalLogin = (login: string): string => login.trim().toLowerCase();

/**
 * Sets a member's password with its second factor. Returns new recovery codes, to be shown this once, or why
 * it was not set.
 */
export async function choosePassword(
  deps: PasswordDeps,
  member: Member,
  chosen: Typed & { login: string; secret: string },
  by: By,
): Promise<string[] | { refused: string }> {
  const login = canonicalLogin(chosen.login);
  if (!/^[^\s\p{C}]{3,255}$/u.test(login)) return { refused: 'the sign-in name must be 3 to 255 characters' };
  if (!isLengthWithin(chosen.password, 12, 1_000)) {
    return { refused: 'the password must have at least 12 characters' };
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
