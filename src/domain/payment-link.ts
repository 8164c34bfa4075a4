import type { LineItem } from './payment.ts';
import type { Environment, PaymentMethod } from './statuses.ts';

/** Characters of a link's slug: 22 of an alphabet of 62 make 131 bits. */
export const slugLength = 22;
const slugShape = new RegExp(`^[0-9A-Za-z]{${slugLength}}$`);

/** Returns whether a part of an address can be the slug of a link. */
export const isSlug = (text: string): boolean => slugShape.test(text);

/** A payment link as stored. The amount is in integer US cents, instants are Dates. docs/payment-links.md. */
export interface PaymentLink {
  id: string;
  merchantId: string;
  environment: Environment;
  /** The last part of its address. */
  slug: string;
  amountCents: number;
  reference: string;
  description: string | null;
  /** Null: none were sent. */
  lineItems: LineItem[] | null;
  /** Null: all methods that the merchant offers when the link is opened. */
  methods: PaymentMethod[] | null;
  successUrl: string;
  cancelUrl: string;
  /** The most payments; null: no bound. */
  maxPayments: number | null;
  /** From this instant on the link starts no payment; null: never. */
  expiresAt: Date | null;
  active: boolean;
  createdAt: Date;
  updatedAt: Date;
  /** Its payments that are paid or may still be paid. */
  paymentCount: number;
}

/** Returns whether a link starts no payment at an instant, whatever was paid with it. Pure. */
export const isLinkClosed = ({ active, expiresAt }: Pick<PaymentLink, 'active' | 'expiresAt'>, now: Date) =>
  !active || (expiresAt !== null && expiresAt <= now);

/** The largest bound of a link's payments. */
export const maxLinkPayments = 10_000;
