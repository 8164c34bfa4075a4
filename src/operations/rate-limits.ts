import { LRUCache } from 'lru-cache';
import type { Queryable } from '../db/server/database.ts';
import { takeCalls } from '../db/server/rate-limits.ts';

/** A limit: `burst` calls at once, and one more every `gapMs`. */
export interface RateLimit {
  gapMs: number;
  burst: number;
}

/** The defaults: per API key and class of operation (AMB-43), payment, or address. docs/merchants.md. */
const defaults = {
  'live.all': { gapMs: 10, burst: 200 },
  'sandbox.all': { gapMs: 40, burst: 50 },
  'live.create': { gapMs: 40, burst: 50 },
  'sandbox.create': { gapMs: 100, burst: 20 },
  'payment.read': { gapMs: 500, burst: 10 },
  'payment.act': { gapMs: 6_000, burst: 10 },
  'session.write': { gapMs: 1_000, burst: 60 },
  'member.write': { gapMs: 500, burst: 120 },
  'receipt.payment': { gapMs: 600_000, burst: 3 },
  'receipt.merchant': { gapMs: 5_000, burst: 60 },
  'pairing.start': { gapMs: 10_000, burst: 10 },
  'pairing.poll': { gapMs: 500, burst: 60 },
  failures: { gapMs: 3_000, burst: 20 },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof defaults;
export type RateLimits = Record<RateLimitName, RateLimit> | 'off';

/**
 * Returns the limits of RATE_LIMITS: empty for the defaults, `off`, or `name=perSecond[/burst],…` to override
 * some. Throws `RangeError` that names the wrong entry.
 */
export function parseRateLimits(text: string): RateLimits {
  if (text === 'off') return 'off';
  const limits: Record<RateLimitName, RateLimit> = { ...defaults };
  for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
    const match = /^\s*([a-z.]+)=(\d+(?:\.\d+)?)(?:\/(\d+))?\s*$/.exec(entry);
    const name = match?.[1];
    const perSecond = Number(match?.[2]);
    if (!name || !Object.hasOwn(limits, name) || !(perSecond > 0)) {
      throw new RangeError(
        `RATE_LIMITS: "${entry.trim()}" is not name=perSecond[/burst]; names: ${Object.keys(defaults).join(', ')}`,
      );
    }
    const burst = match?.[3] === undefined ? Math.max(1, Math.ceil(perSecond * 2)) : Number(match[3]);
    limits[name as RateLimitName] = { gapMs: 1000 / perSecond, burst: Math.max(1, burst) };
  }
  return limits;
}

/** A bucket from which a call is taken. */
export interface Bucket {
  name: RateLimitName;
  subject: string;
}

export type RateDecision =
  | { admitted: true; limit: RateLimit; remaining: number }
  | { admitted: false; limit: RateLimit; retryAfterSeconds: number };

export interface RateLimiter {
  /**
   * Takes one call from each bucket; `null` when limits are off. Throws when the shared store cannot be
   * reached.
   */
  take(buckets: [Bucket, ...Bucket[]]): Promise<RateDecision | null>;
}

/** Refusals that this process remembers. They are bounded, because callers choose the subjects. */
const maxRemembered = 10_000;

/**
 * Returns the limiter that all API processes share. The counters are in PostgreSQL. A bucket that refused is
 * remembered here until it would admit a call again, so that a flood costs no database work.
 */
export function createRateLimiter(deps: {
  database: Queryable;
  limits: RateLimits;
  now: () => number;
}): RateLimiter {
  const { database, limits, now } = deps;
  if (limits === 'off') return { take: async () => null };
  const refusedUntil = new LRUCache<string, number>({
    max: maxRemembered,
    perf: { now },
    ttlResolution: 0,
  });

  const refuse = (limit: RateLimit, waitMs: number): RateDecision => ({
    admitted: false,
    limit,
    // Rounded up with a little room, so that a call after this wait is always admitted.
    retryAfterSeconds: Math.max(1, Math.ceil((waitMs + 20) / 1000)),
  });

  return {
    async take(buckets) {
      const instant = now();
      for (const { name, subject } of buckets) {
        const until = refusedUntil.get(`${name}:${subject}`);
        if (until !== undefined && until > instant) return refuse(limits[name], until - instant);
      }
      const taken = await takeCalls(
        database,
        buckets.map(({ name, subject }) => ({ key: `${name}:${subject}`, ...limits[name] })),
      );
      const refused = taken.refused > 0 ? buckets[taken.refused - 1] : undefined;
      if (!refused) return { admitted: true, limit: limits[buckets[0].name], remaining: taken.remaining };
      refusedUntil.set(`${refused.name}:${refused.subject}`, instant + taken.waitMs, {
        ttl: Math.ceil(taken.waitMs),
      });
      return refuse(limits[refused.name], taken.waitMs);
    },
  };
}
