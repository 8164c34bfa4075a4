import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { equalHashes, type Keyring } from '../../crypto/keyring.ts';
import { randomUrlSecret } from '../../crypto/secrets.ts';
import type { TryLane } from '../../db/members/sign-in-tries.ts';
import { callerAddress, clientKey } from '../../http/request.ts';
import { hostCookieRules } from './session-cookie.ts';

/**
 * `<member>.<random>.<signature>`: the member signed in with this browser before. The cookie alone signs no
 * one in.
 */
const deviceCookie = '__Host-dashboard-device';
const deviceSeconds = 180 * 86_400;

/** Sets the cookie that shows that this browser signed in as a member. */
export function rememberDevice(
  { keyring }: { keyring: Keyring },
  reply: FastifyReply,
  memberId: string,
): FastifyReply {
  const name = `${memberId}.${randomUrlSecret()}`;
  const signature = keyring.lookupHash(hashPurposes.signInDevice, name).toString('base64url');
  return reply.setCookie(deviceCookie, `${name}.${signature}`, { ...hostCookieRules, maxAge: deviceSeconds });
}

/** Returns the member and the random part of a known browser; null for any other browser. */
export function knownDevice(
  { keyring }: { keyring: Keyring },
  request: FastifyRequest,
): { memberId: string; random: string } | null {
  const [memberId, random, signature] = (request.cookies[deviceCookie] ?? '').slice(0, 300).split('.');
  if (memberId === undefined || random === undefined || signature === undefined) return null;
  const given = Buffer.from(signature, 'base64url');
  const hashes = keyring.lookupHashes(hashPurposes.signInDevice, `${memberId}.${random}`);
  return hashes.some((hash) => equalHashes(hash, given)) ? { memberId, random } : null;
}

/**
 * Returns the lane in which wrong tries to sign in as a member are counted: the browser's, if it signed in as
 * the member before, else its network's. ADR 0054.
 */
export function laneOf(
  device: ReturnType<typeof knownDevice>,
  request: FastifyRequest,
  memberId: string,
): TryLane & { isKnown: boolean } {
  const waits = { free: 3, maxSeconds: 900 };
  return device?.memberId === memberId
    ? { name: `device:${device.random}`, ...waits, isKnown: true }
    : { name: `network:${clientKey(callerAddress(request))}`, ...waits, isKnown: false };
}
