import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { equalHashes, type Keyring } from '../../crypto/keyring.ts';
import { randomUrlSecret } from '../../crypto/secrets.ts';
import type { TryLane } from '../../db/members/sign-in-tries.ts';
import { callerAddress, countedAs } from '../../http/request.ts';
import { hostCookieRules } from './session-cookie.ts';

/** `<member>.<random>.<signature>`: the member signed in with this browser before. It signs no one in. */
const deviceCookie = '__Host-dashboard-device';
const deviceSeconds = 180 * 86_400;

/** Remembers that this browser signed in as a member. */
export function rememberDevice(
  { keyring }: { keyring: Keyring },
  reply: FastifyReply,
  memberId: string,
): FastifyReply {
  const name = `${memberId}.${randomUrlSecret()}`;
  const signature = keyring.lookupHash(hashPurposes.signInDevice, name).toString('base64url');
  return reply.setCookie(deviceCookie, `${name}.${signature}`, { ...hostCookieRules, maxAge: deviceSeconds });
}

/**
 * Returns what the wrong tries of a sign-in as a member are counted by: the browser, if it signed in as the
 * member before, and otherwise its network. ADR 0054.
 */
export function laneOf(
  { keyring }: { keyring: Keyring },
  request: FastifyRequest,
  memberId: string,
): TryLane & { isKnown: boolean } {
  const waits = { free: 3, mostSeconds: 900 };
  const [member, random, signature] = (request.cookies[deviceCookie] ?? '').slice(0, 300).split('.');
  if (member === memberId && random !== undefined && signature !== undefined) {
    const given = Buffer.from(signature, 'base64url');
    const hashes = keyring.lookupHashes(hashPurposes.signInDevice, `${member}.${random}`);
    if (hashes.some((hash) => equalHashes(hash, given)))
      return { name: `device:${random}`, ...waits, isKnown: true };
  }
  return { name: `network:${countedAs(callerAddress(request))}`, ...waits, isKnown: false };
}
