import type { PaymentMethod } from './statuses.ts';

/** Real networks that the service can speak to. */
export const connectorKinds = ['stripe'] as const;
export type ConnectorKind = (typeof connectorKinds)[number];

/** What a network takes; everything else is refused before anything is sent to it. */
export interface NetworkCapabilities {
  /** Amounts in US cents, both inclusive. */
  minimumCents: number;
  maximumCents: number;
  methods: readonly PaymentMethod[];
}

/**
 * What a connector's network takes, null for the simulators, which take everything. Stripe:
 * docs/going-live.md, "Limits".
 */
export function capabilitiesOf(kind: ConnectorKind | null): NetworkCapabilities | null {
  return kind === 'stripe' ? { minimumCents: 50, maximumCents: 99_999_999, methods: ['card'] } : null;
}
