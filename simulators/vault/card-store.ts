import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Refusal } from '../server.ts';
import { randomBase62, sha256Hex } from '../secrets.ts';
import { Database, type Table } from '../tables.ts';
import { CARD_LIFETIME_MS, type Session } from './sessions.ts';

/** The owner of a card; its ciphertext is bound to all of these fields. */
export type CardOwner = Pick<Session, 'reference' | 'paymentId' | 'merchantId' | 'environment' | 'createdAt'>;

const cardSchema = z.object({ number: z.string(), expMonth: z.string(), expYear: z.string() });
/** A card without its security code. */
export type CardData = z.infer<typeof cardSchema>;

/** The stored data of a token: its owner, its expiry (epoch ms), and the sealed card. */
export const storedCardSchema = z.object({ reference: z.string(), purgeAt: z.number(), sealed: z.string() });
export type StoredCard = z.infer<typeof storedCardSchema>;

const storedKeySchema = z.object({ wrapped: z.string() });
type StoredKey = z.infer<typeof storedKeySchema>;

/** A security code stays in memory only, and no longer than this. */
const CVV_LIFETIME_MS = 10 * 60_000;
const TOKEN_CHARS = 43;
/** More than any customer's typing errors; the limit stops trials of many cards with a leaked secret. */
const MAX_CARDS_PER_SESSION = 200;

/**
 * Stores cards by token. Tokens are stored as SHA-256. Each card is sealed with its own key, which the
 * vault's key wraps, in a separate file. Deleting that key deletes the card, because the ciphertext in the
 * journal becomes unreadable (PCI DSS 3.2.1).
 */
export class CardStore {
  readonly #cards: Table<StoredCard>;
  readonly #keysDatabase: Database;
  readonly #keys: Table<StoredKey>;
  readonly #masterKey: Buffer;
  readonly #countOf = new Map<string, number>();
  readonly #cvvs = new Map<string, { code: Buffer; until: number }>();

  /** `masterKey` is 32 bytes. */
  constructor(cards: Table<StoredCard>, masterKey: Buffer) {
    this.#cards = cards;
    this.#keysDatabase = new Database();
    this.#keys = this.#keysDatabase.table('keys', storedKeySchema);
    this.#masterKey = masterKey;
  }

  /** Reads the wrapped card keys from `keysFile`. The cards must be loaded before. */
  async open(keysFile: string, onBroken?: (reason: Error) => void): Promise<void> {
    await this.#keysDatabase.open(keysFile, onBroken);
    for (const card of this.#cards.values()) this.#count(card.reference, 1);
  }

  /**
   * Stores the card under a new token for `session`; only this call returns the token. Refuses 429
   * `too_many_captures`.
   */
  add(session: CardOwner, card: CardData, cvv: string, now: number): string {
    const token = `tok_${randomBase62(TOKEN_CHARS)}`;
    this.put(token, session, card, cvv, now);
    return token;
  }

  /** Stores the card under `token`, replacing an earlier one. Refuses 429 `too_many_captures`. */
  put(token: string, owner: CardOwner, card: CardData, cvv: string, now: number): void {
    if ((this.#countOf.get(owner.reference) ?? 0) >= MAX_CARDS_PER_SESSION) {
      throw new Refusal(429, 'too_many_captures', 'Too many cards were captured for this payment.');
    }
    const id = sha256Hex(token);
    const key = randomBytes(32);
    if (!this.#cards.get(id)) this.#count(owner.reference, 1);
    this.#keys.put(id, { wrapped: seal(this.#masterKey, key, id) });
    this.#cards.put(id, {
      reference: owner.reference,
      purgeAt: owner.createdAt + CARD_LIFETIME_MS,
      sealed: seal(key, Buffer.from(JSON.stringify(card)), binding(id, owner)),
    });
    this.#forgetCvv(id);
    this.#cvvs.set(id, { code: Buffer.from(cvv), until: now + CVV_LIFETIME_MS });
  }

  /** Returns the card of `token`, or null when the token is unknown, of another session, or expired. */
  find(token: string, session: CardOwner, now: number): CardData | null {
    const id = sha256Hex(token);
    const stored = this.#cards.get(id);
    const key = this.#keys.get(id);
    if (!stored || !key || stored.reference !== session.reference || now >= stored.purgeAt) return null;
    const cardKey = unseal(this.#masterKey, key.wrapped, id);
    return cardSchema.parse(
      JSON.parse(unseal(cardKey, stored.sealed, binding(id, session)).toString('utf8')),
    );
  }

  /** Returns a fingerprint that does not reveal the number: the same for every token of the number. */
  fingerprint(number: string): string {
    return createHmac('sha256', this.#masterKey)
      .update(`fingerprint\n${number}`)
      .digest('base64url')
      .slice(0, 22);
  }

  /** Returns the session in which a token was captured, or null. */
  referenceOf(token: string): string | null {
    return this.#cards.get(sha256Hex(token))?.reference ?? null;
  }

  /**
   * Returns whether the security code is still stored, and deletes it (PCI DSS 3.3.1: not kept after use).
   */
  takeCvv(token: string, now: number): boolean {
    const id = sha256Hex(token);
    const held = this.#cvvs.get(id);
    this.#forgetCvv(id);
    return held !== undefined && now < held.until;
  }

  /** Returns the security code of a token while it is stored, else null. Does not delete it. */
  cvv(token: string, now: number): string | null {
    const held = this.#cvvs.get(sha256Hex(token));
    return held !== undefined && now < held.until ? held.code.toString('utf8') : null;
  }

  /** Deletes the card of `token`; false when there is none. */
  async remove(token: string): Promise<boolean> {
    const id = sha256Hex(token);
    const card = this.#cards.get(id);
    if (!card) return false;
    this.#drop(id, card);
    await this.#keysDatabase.compact();
    return true;
  }

  /** Deletes expired security codes, then expired cards with their keys. */
  async purge(now: number): Promise<void> {
    for (const [id, held] of this.#cvvs) {
      if (now >= held.until) this.#forgetCvv(id);
    }
    const dead = Array.from(this.#cards.entries()).filter(([, card]) => now >= card.purgeAt);
    if (dead.length === 0) return;
    for (const [id, card] of dead) this.#drop(id, card);
    await this.#keysDatabase.compact();
  }

  flushed(): Promise<void> {
    return this.#keysDatabase.flushed();
  }

  async close(): Promise<void> {
    for (const id of this.#cvvs.keys()) this.#forgetCvv(id);
    await this.#keysDatabase.close();
  }

  #drop(id: string, card: StoredCard): void {
    this.#count(card.reference, -1);
    this.#keys.delete(id);
    this.#cards.delete(id);
    this.#forgetCvv(id);
  }

  #count(reference: string, change: 1 | -1): void {
    const count = (this.#countOf.get(reference) ?? 0) + change;
    if (count > 0) this.#countOf.set(reference, count);
    else this.#countOf.delete(reference);
  }

  #forgetCvv(id: string): void {
    this.#cvvs.get(id)?.code.fill(0);
    this.#cvvs.delete(id);
  }
}

/**
 * Returns the additional data that binds a ciphertext to its token, session, payment, merchant and
 * environment. It cannot be decrypted elsewhere.
 */
function binding(id: string, session: CardOwner): string {
  return [id, session.reference, session.paymentId, session.merchantId, session.environment].join('\n');
}

/** AES-256-GCM; base64 of nonce (12 bytes), tag (16 bytes) and ciphertext. */
function seal(key: Buffer, plain: Buffer, aad: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(aad));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

function unseal(key: Buffer, sealed: string, aad: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(aad)).setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
}
