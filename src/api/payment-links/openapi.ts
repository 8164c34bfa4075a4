import { type Operation, keyCodes, listed, read } from '../http/operation.ts';
import { dataOf, listOf } from '../http/schema.ts';
import { ChangePaymentLinkBody, CreatePaymentLinkBody } from './bodies.ts';
import { ListPaymentLinksQuery, PaymentLink } from './schema.ts';

const path = '/v1/payment-links';

/** Operations of payment links (docs/payment-links.md). */
export const paymentLinkOperations: readonly Operation[] = [
  {
    id: 'createPaymentLink',
    method: 'post',
    path,
    group: 'Payment links',
    summary: 'Create a payment link',
    description: 'Each customer who opens its address gets a hosted payment.',
    keyed: true,
    body: { schema: CreatePaymentLinkBody, required: true },
    success: 201,
    answer: dataOf(PaymentLink),
    codes: [...keyCodes, 'validation_failed'],
  },
  {
    id: 'listPaymentLinks',
    method: 'get',
    path,
    group: 'Payment links',
    summary: 'List payment links',
    description: 'Newest first.',
    query: ListPaymentLinksQuery,
    answer: listOf(PaymentLink),
    ...listed,
  },
  {
    id: 'retrievePaymentLink',
    method: 'get',
    path: `${path}/{id}`,
    group: 'Payment links',
    summary: 'Read a payment link',
    description: 'What it offers and how many payments it has.',
    answer: dataOf(PaymentLink),
    ...read,
  },
  {
    id: 'changePaymentLink',
    method: 'patch',
    path: `${path}/{id}`,
    group: 'Payment links',
    summary: 'Close or reopen a payment link',
    description: 'Payments that it began can still be paid.',
    body: { schema: ChangePaymentLinkBody, required: true },
    success: 200,
    answer: dataOf(PaymentLink),
    codes: ['not_found', 'validation_failed'],
  },
];
