import { z } from 'zod';
import { sha256Hex } from '../secrets.ts';
import type { Table } from '../tables.ts';
import { cardBehaviour, cardBrand, cardIssuer, type CardBrand, type CardIssuer } from '../test-cards.ts';
import type { CardStore } from './card-store.ts';
import type { Session } from './sessions.ts';

export const claimBody = z.object({
  token: z.string().min(1).max(4096),
  paymentId: z.string().min(1).max(128),
  merchantId: z.string().min(1).max(128),
  environment: z.string().min(1).max(32),
});

export type ClaimBody = z.infer<typeof claimBody>;

type ClaimReason = 'unknown_token' | 'other_card_bound' | 'refused_by_vault';

export type ClaimAnswer =
  | {
      status: 'accepted';
      card: { brand: CardBrand; last4: string; bin: string; issuer: CardIssuer; fingerprint: string };
    }
  | { status: 'rejected'; reason: ClaimReason };

const BIN_DIGITS = 6;

/**
 * Decides whether the service may pay with a token. A token of another session, payment, merchant or
 * environment is refused like an unknown one. Accepting in mode `single` ends capture and binds the
 * session to the token: the same token is accepted again with the same answer, any other is rejected (one
 * card for one payment).
 */
export function claimToken(
  stores: { sessions: Table<Session>; cards: CardStore },
  reference: string,
  claim: ClaimBody,
  now: number,
): ClaimAnswer {
  const session = stores.sessions.get(reference);
  const card = session && belongs(session, claim) ? stores.cards.find(claim.token, session, now) : null;
  if (!session || !card) return { status: 'rejected', reason: 'unknown_token' };
  if (cardBehaviour(card.number) === 'tokenRejected')
    return { status: 'rejected', reason: 'refused_by_vault' };
  if (session.mode === 'single') {
    const tokenHash = sha256Hex(claim.token);
    if (session.boundToken !== null && session.boundToken !== tokenHash) {
      return { status: 'rejected', reason: 'other_card_bound' };
    }
    if (session.boundToken === null) {
      stores.sessions.put(reference, {
        ...session,
        boundToken: tokenHash,
        revokedAt: session.revokedAt ?? now,
      });
    }
  }
  return {
    status: 'accepted',
    card: {
      brand: cardBrand(card.number),
      last4: card.number.slice(-4),
      bin: card.number.slice(0, BIN_DIGITS),
      issuer: cardIssuer(card.number),
      fingerprint: stores.cards.fingerprint(card.number),
    },
  };
}

function belongs(session: Session, claim: ClaimBody): boolean {
  return (
    session.paymentId === claim.paymentId &&
    session.merchantId === claim.merchantId &&
    session.environment === claim.environment
  );
}
