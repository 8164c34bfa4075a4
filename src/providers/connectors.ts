import type { ConnectorKind } from '../domain/connector.ts';
import type { Environment } from '../domain/statuses.ts';
import type { DisputeNetwork, PaymentNetwork, RefundNetwork, VaultClient } from './ports.ts';

/** Where cards are taken, as merchants and browsers reach it. */
export interface CaptureAddresses {
  /** As `pciConfig.provider` names the vault. */
  provider: 'cardVault' | 'pciVault';
  urlOf: (vaultId: string) => string;
  /** The frame with card fields, the vault's own or ours; null: there is none, and no hosted page. */
  frameUrlOf: ((vaultId: string) => string) | null;
  /** Whether shops may put that frame into pages of their own, too. */
  shopsMayFrame: boolean;
  /** The vault makes the secret of a session itself. */
  makesSecrets: boolean;
}

/** One vault and one network, as one merchant of one environment reaches them. */
export interface ProviderPorts {
  kind: 'simulator' | ConnectorKind;
  capture: CaptureAddresses;
  /**
   * Who says whose card a token is: the vault when it is asked, or the network's preparing, which is the one
   * time that the vault sends the card anywhere.
   */
  cardsProvenBy: 'vault' | 'preparing';
  vault: VaultClient;
  network: PaymentNetwork;
  refunds: RefundNetwork;
  disputes: DisputeNetwork;
  /** Lets the connections go once the calls under way have ended. */
  close?: () => Promise<void>;
}

/** Whose ports are asked for: what a payment was created with. No connector: its environment's simulators. */
export interface ConnectorOwner {
  connectorId: string | null;
  environment: Environment;
}

/**
 * The one place that knows which vault and network a payment belongs to. Throws `ProviderUnavailable` where
 * the connector's credentials cannot be read: nothing was sent.
 */
export interface Connectors {
  portsOf(owner: ConnectorOwner): Promise<ProviderPorts>;
  /** The environments that have simulators. */
  readonly simulated: readonly Environment[];
}
