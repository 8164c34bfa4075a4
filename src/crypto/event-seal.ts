import { sha256Hex } from './signing.ts';

/** An event as it is hashed: with the stored text of its data, and its instant in microseconds. */
export interface HashedEvent {
  id: string;
  position: number;
  paymentId: string | null;
  sequence: number;
  stateSeq: number | null;
  type: string;
  previousStatus: string | null;
  data: string;
  createdAt: string;
}

/** Events of one merchant and environment, in the order of the log, with the hash of each. */
export interface EventSeal {
  merchantId: string;
  environment: string;
  /** The hash and the instant of the seal before this one; null for the first. */
  previousHash: string;
  previousAt: string | null;
  events: { id: string; position: number; at: string; hash: string }[];
  /** ISO 8601 with milliseconds. */
  at: string;
}

/** Returns the hash of an event, SHA-256 in hexadecimal. */
export const eventHash = (owner: { merchantId: string; environment: string }, event: HashedEvent): string =>
  sha256Hex(
    JSON.stringify([
      owner.merchantId,
      owner.environment,
      event.id,
      event.position,
      event.paymentId,
      event.sequence,
      event.stateSeq,
      event.type,
      event.previousStatus,
      event.data,
      event.createdAt,
    ]),
  );

/** Returns the hash of a seal, which is signed. */
export const sealHash = (seal: EventSeal): string =>
  sha256Hex(
    JSON.stringify([
      seal.merchantId,
      seal.environment,
      seal.previousHash,
      seal.previousAt,
      seal.at,
      seal.events.map(({ id, position, at, hash }) => [id, position, at, hash]),
    ]),
  );
