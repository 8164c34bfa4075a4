import { TypedSearchAttributes, defineSearchAttributeKey } from '@temporalio/common';
import type { CheckoutStatus, Environment, PaymentStatus } from '../../domain/statuses.ts';

/** Typed keys of the search attributes; their names and kinds are those of `searchAttributes`. */
export const merchantIdKey = defineSearchAttributeKey('MerchantId', 'KEYWORD');
export const environmentKey = defineSearchAttributeKey('PaymentEnvironment', 'KEYWORD');
export const paymentStatusKey = defineSearchAttributeKey('PaymentStatus', 'KEYWORD');
export const checkoutStatusKey = defineSearchAttributeKey('CheckoutStatus', 'KEYWORD');
export const attemptsLeftKey = defineSearchAttributeKey('AttemptsLeft', 'INT');
export const amountCentsKey = defineSearchAttributeKey('AmountCents', 'INT');
export const needsAttentionKey = defineSearchAttributeKey('NeedsAttention', 'BOOL');

/** The attributes by which every workflow of a tenant can be found. */
interface TenantAttributes {
  merchantId: string;
  environment: Environment;
}

/** Returns the attributes of a workflow that belongs to a tenant and has no amount. */
export function tenantAttributes({ merchantId, environment }: TenantAttributes): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: merchantIdKey, value: merchantId },
    { key: environmentKey, value: environment },
  ]);
}

/** Returns the attributes of a refund's or dispute's workflow. `amountCents`: integer US cents. */
export function moneyAttributes(money: TenantAttributes & { amountCents: number }): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: merchantIdKey, value: money.merchantId },
    { key: environmentKey, value: money.environment },
    { key: amountCentsKey, value: money.amountCents },
    { key: needsAttentionKey, value: false },
  ]);
}

/** Returns the attributes a payment's workflow starts with. */
export function paymentAttributes(
  payment: TenantAttributes & {
    amountCents: number;
    status: PaymentStatus;
    checkoutStatus: CheckoutStatus;
    attemptsLeft: number;
  },
): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: merchantIdKey, value: payment.merchantId },
    { key: environmentKey, value: payment.environment },
    { key: paymentStatusKey, value: payment.status },
    { key: checkoutStatusKey, value: payment.checkoutStatus },
    { key: attemptsLeftKey, value: payment.attemptsLeft },
    { key: amountCentsKey, value: payment.amountCents },
    { key: needsAttentionKey, value: false },
  ]);
}
