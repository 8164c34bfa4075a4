import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { CheckoutEvent } from '../domain/checkout.ts';
import { type CheckoutState, checkoutStatus } from '../domain/checkout-state.ts';
import {
  attemptsLeftKey,
  checkoutStatusKey,
  needsAttentionKey,
  paymentStatusKey,
} from '../temporal/contract/search-attribute-keys.ts';
import {
  type DetailFacts,
  addFacts,
  attributesAtStart,
  describeCheckout,
  waitsForOther,
} from './operator-details.ts';

/** The view of one payment for operators. */
export interface OperatorView {
  /** Shows where the payment stands. */
  show: (state: CheckoutState, needsAttention: boolean) => void;
  /** Stores the facts of an event for the details. `after`: the state that it led to. */
  note: (event: CheckoutEvent, card: { brand: string; last4: string } | null, after: CheckoutState) => void;
}

/**
 * Returns the view that shows operators where a payment stands, in the Temporal UI's details and search
 * attributes. It writes only what changed, because each upsert is an event of the history. Search attributes
 * are clear text and hold no customer data.
 */
export function createOperatorView(startMs: number): OperatorView {
  // The start of the workflow has set these already.
  let shown: Record<keyof typeof attributesAtStart, string | number | boolean> = attributesAtStart;
  let latest: CheckoutState | null = null;
  let facts: DetailFacts = { sinceMs: startMs, lastDecline: null, paid: null };

  const note: OperatorView['note'] = (event, card, after) => {
    facts = addFacts(facts, event, card, after, Date.now());
  };
  const show: OperatorView['show'] = (state, needsAttention) => {
    if (latest && waitsForOther(latest, state)) facts = { ...facts, sinceMs: Date.now() };
    latest = state;
    setCurrentDetails(describeCheckout(state, facts, needsAttention, Date.now()));
    // A state that lasts milliseconds is not worth an event and a row of the visibility store.
    if (state.flight?.certainty === 'running') return;
    const now = {
      paymentStatus: state.paymentStatus,
      checkoutStatus: checkoutStatus(state),
      attemptsLeft: state.attemptsLeft,
      needsAttention,
    };
    const changed: SearchAttributeUpdatePair[] = [];
    if (now.paymentStatus !== shown.paymentStatus)
      changed.push({ key: paymentStatusKey, value: now.paymentStatus });
    if (now.checkoutStatus !== shown.checkoutStatus) {
      changed.push({ key: checkoutStatusKey, value: now.checkoutStatus });
    }
    if (now.attemptsLeft !== shown.attemptsLeft)
      changed.push({ key: attemptsLeftKey, value: now.attemptsLeft });
    if (now.needsAttention !== shown.needsAttention) {
      changed.push({ key: needsAttentionKey, value: now.needsAttention });
    }
    if (changed.length > 0) upsertSearchAttributes(changed);
    shown = now;
  };
  return { note, show };
}
