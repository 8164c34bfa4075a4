import { z } from 'zod';
import { Refusal } from '../server.ts';
import { hashMatches, sha256Hex, stableJson } from '../secrets.ts';
import type { Table } from '../tables.ts';

const hexHash = z.string().regex(/^[0-9a-f]{64}$/);
const origin = z
  .string()
  .max(300)
  .refine((value) => URL.canParse(value) && new URL(value).origin === value && value.startsWith('http'));

const sessionFields = {
  paymentId: z.string().min(1).max(128),
  merchantId: z.string().min(1).max(128),
  environment: z.enum(['sandbox', 'live']),
  mode: z.enum(['single', 'multi']),
  secretSha256: hexHash.optional(),
  frameKeySha256: hexHash.optional(),
  expiresAt: z.iso.datetime({ offset: true }),
  allowedOrigin: origin,
  ancestorOrigins: z.array(origin).max(20).optional(),
};

/** The service's registration for one payment. `secretSha256` is optional when only the frame is used. */
export const sessionBody = z
  .object(sessionFields)
  .refine((body) => body.secretSha256 !== undefined || body.frameKeySha256 !== undefined, {
    path: ['secretSha256'],
  });

export type SessionBody = z.infer<typeof sessionBody>;

/** A capture session. Secrets are kept as SHA-256 only; times are epoch ms. */
export const sessionSchema = z.object({
  ...sessionFields,
  reference: z.string(),
  /** The hash of the registration as sent: a repeat must be the same. */
  bodyHash: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
  revokedAt: z.number().nullable(),
  /** In mode `single`, the SHA-256 of the one token the service accepted. */
  boundToken: z.string().nullable(),
});
export type Session = z.infer<typeof sessionSchema>;

/** Token data is kept a little longer than the longest checkout (35 min). */
export const CARD_LIFETIME_MS = 40 * 60_000;
/** Compared for an unknown reference, so that the refusal takes as long as that of a wrong secret. */
const NO_HASH = '0'.repeat(64);

/**
 * Registers a session. The same body again changes nothing, not even the expiry. Another body under a used
 * reference is refused with 409 `session_exists`.
 */
export function registerSession(
  sessions: Table<Session>,
  reference: string,
  body: SessionBody,
  now: number,
): Session {
  const bodyHash = sha256Hex(stableJson(body));
  const known = sessions.get(reference);
  if (known && known.bodyHash !== bodyHash) {
    throw new Refusal(409, 'session_exists', 'This reference is already registered with other content.');
  }
  return (
    known ??
    sessions.put(reference, {
      ...body,
      reference,
      bodyHash,
      createdAt: now,
      expiresAt: Date.parse(body.expiresAt),
      revokedAt: null,
      boundToken: null,
    })
  );
}

/** Ends capture permanently; a repeated call changes nothing. Refuses 404 `session_not_found`. */
export function revokeSession(sessions: Table<Session>, reference: string, now: number): void {
  const session = sessions.get(reference);
  if (!session) throw new Refusal(404, 'session_not_found', 'This reference is not registered.');
  if (session.revokedAt === null) sessions.put(reference, { ...session, revokedAt: now });
}

/**
 * Returns the session in which `credential` may capture now. A missing or wrong credential, an unknown
 * reference, an expired and a revoked session get the same refusal (401 `unauthorized`), so that callers
 * cannot distinguish them.
 */
export function authoriseCapture(
  sessions: Table<Session>,
  reference: string,
  credential: { kind: 'secret' | 'frameKey'; value: unknown },
  now: number,
): Session {
  const session = sessions.get(reference);
  const expected = credential.kind === 'secret' ? session?.secretSha256 : session?.frameKeySha256;
  const presented = typeof credential.value === 'string' ? credential.value : '';
  const matches = hashMatches(presented, expected ?? NO_HASH) && expected !== undefined;
  if (!session || !matches || session.revokedAt !== null || now >= session.expiresAt) {
    throw new Refusal(401, 'unauthorized', 'The capture access is not valid.');
  }
  return session;
}
