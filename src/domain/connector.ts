import { type PaymentMethod, paymentMethods } from './statuses.ts';

/** Real networks that the service supports. */
export const connectorKinds = ['stripe'] as const;
export type ConnectorKind = (typeof connectorKinds)[number];

/** Wallets whose marks the checkout page can draw. */
export type WalletMark = 'sandbox';

/** A network's wallet, as customers know it. */
export interface NamedWallet {
  name: string;
  /** Null: the page draws a plain wallet. */
  mark: WalletMark | null;
}

/** The payments that a network accepts; others are refused before anything is sent to it. */
export interface NetworkCapabilities {
  /** Amounts in US cents, both inclusive. */
  minimumCents: number;
  maximumCents: number;
  methods: readonly PaymentMethod[];
}

/**
 * Returns what a connector's network accepts; null for the simulators, which accept everything. Stripe:
 * docs/going-live.md, "Limits".
 */
export function capabilitiesOf(kind: ConnectorKind | null): NetworkCapabilities | null {
  return kind === 'stripe'
    ? { minimumCents: 50, maximumCents: 99_999_999, methods: ['card', 'wallet'] }
    : null;
}

/**
 * Returns the methods that work on a network; the simulators take all. A real network's wallets need a frame
 * of their own on the hosted page.
 */
export function workingMethods(
  kind: ConnectorKind | null,
  hasWalletFrame: boolean,
): readonly PaymentMethod[] {
  const taken = capabilitiesOf(kind)?.methods ?? null;
  return taken === null ? paymentMethods : taken.filter((method) => method !== 'wallet' || hasWalletFrame);
}
