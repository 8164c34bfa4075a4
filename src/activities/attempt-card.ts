import { log } from '@temporalio/activity';
import { hashPurposes } from '../crypto/seal-contexts.ts';
import { recordCard } from '../db/payments/attempt-answers.ts';
import { type ClaimedAttempt, holdBack } from '../db/payments/reservations.ts';
import type { CardFacts } from '../domain/card.ts';
import { decideByDeclines } from '../domain/card-testing.ts';
import type { Attempt, ReportDeps } from './attempt-report.ts';

/** A card with the keyed hash of its number, where the provider names it. */
export type KnownCard = CardFacts & { hash: Buffer | null };

/** Returns the card with its keyed hash. The same card has different hashes at two merchants. */
export function knownCard(
  { keyring }: Pick<ReportDeps, 'keyring'>,
  { merchantId }: ClaimedAttempt,
  card: CardFacts,
): KnownCard {
  const { fingerprint } = card;
  const hashed = `${merchantId}:${fingerprint}`;
  return {
    ...card,
    hash: fingerprint === null ? null : keyring.lookupHash(hashPurposes.cardFingerprint, hashed),
  };
}

/**
 * Returns whether the charge may be sent, or only with a challenge. `held`: this card or its BIN had too many
 * declines. Then the attempt is canceled, and its row holds the reason for the caller. ADR 0053.
 */
export async function limitDeclines(
  { database }: Pick<ReportDeps, 'database'>,
  { declinedCards, forceChallenge }: ClaimedAttempt,
  attempt: Attempt,
  card: KnownCard | null,
): Promise<'send' | 'challenge' | 'held'> {
  if (declinedCards.length === 0) return forceChallenge ? 'challenge' : 'send';
  const hash = card?.hash ?? null;
  const bin = card?.bin ?? null;
  const verdict = decideByDeclines(declinedCards, { bin, hash: hash?.toString('hex') ?? null });
  if (typeof verdict === 'string') return forceChallenge ? 'challenge' : verdict;
  await holdBack(database, attempt, { dimension: verdict.refuse, cardHash: hash, bin });
  return 'held';
}

/** How long the network may take, in ms, before the card is stored for the customer who waits. */
const storeCardAfterMs = 500;

/**
 * Sends the charge, and stores the card's facts when the answer is slow or lost. Otherwise they are stored
 * with the answer, in one statement.
 */
export async function withCardStored<T>(
  { database }: Pick<ReportDeps, 'database'>,
  attempt: Attempt,
  card: KnownCard | null,
  send: () => Promise<T>,
): Promise<T> {
  if (card === null) return send();
  // The facts are for display: a failure does not change the attempt.
  const store = (): Promise<void> =>
    recordCard(database, attempt, card).catch((error: unknown) =>
      log.warn('the facts of a card were not stored', { error }),
    );
  const timer = setTimeout(() => void store(), storeCardAfterMs);
  try {
    return await send();
  } catch (error) {
    await store();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
