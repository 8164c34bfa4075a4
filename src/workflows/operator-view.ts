import { type SearchAttributeUpdatePair, defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { type CheckoutState, attemptsPerCheckout, checkoutStatus } from '../domain/checkout.ts';
import { describeCheckout } from './details.ts';

const paymentStatusKey = defineSearchAttributeKey('PaymentStatus', 'KEYWORD');
const checkoutStatusKey = defineSearchAttributeKey('CheckoutStatus', 'KEYWORD');
const attemptsLeftKey = defineSearchAttributeKey('AttemptsLeft', 'INT');
const needsAttentionKey = defineSearchAttributeKey('NeedsAttention', 'BOOL');

/**
 * Shows operators where a payment stands, in the Temporal UI's details and search attributes. Only what changed is
 * written: each upsert is an event. Search attributes are clear text and hold no customer data.
 */
export function createDisplay(): (state: CheckoutState, needsAttention: boolean) => void {
  // What the start of the workflow already set.
  let shown = {
    paymentStatus: 'pending',
    checkoutStatus: 'open',
    attemptsLeft: attemptsPerCheckout,
    needsAttention: false,
  };
  return (state, needsAttention) => {
    setCurrentDetails(describeCheckout(state, needsAttention));
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
}
