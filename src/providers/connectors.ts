import type { ConnectorKind } from '../domain/connector.ts';
import type { Environment } from '../domain/statuses.ts';
import type { NetworkListings } from './listings.ts';
import type { DisputeNetwork, PaymentNetwork, RefundNetwork, VaultClient } from './ports.ts';

/** Where cards are captured, as merchants and browsers reach it. */
export interface CaptureAddresses {
  /** As `pciConfig.provider` names the vault. */
  provider: 'cardVault' | 'pciVault';
  urlOf: (vaultId: string) => string;
  /** The frame with card fields, the vault's own or ours; null: there is none, and no hosted page. */
  frameUrlOf: ((vaultId: string) => string) | null;
  /** The frame with the wallets' buttons on a hosted page, with its query; null: the network has none. */
  walletFrameUrl: string | null;
  /** Whether shops may put that frame of card fields into pages of their own, too. */
  shopsMayFrame: boolean;
  /** Whether the vault makes the secret of a session itself. */
  makesSecrets: boolean;
  /** Signs the sites that may frame the page around that frame; null: the frame gets no such list. */
  signAncestors: ((frame: string, ancestors: string) => string) | null;
}

/** One vault and one network, as one merchant of one environment reaches them. */
export interface ProviderPorts {
  kind: 'simulator' | ConnectorKind;
  capture: CaptureAddresses;
  /**
   * What verifies that a token is this payment's card: a call to the vault, or preparing the charge, which is
   * the only time that the vault sends the card anywhere.
   */
  cardsProvenBy: 'vault' | 'preparing';
  vault: VaultClient;
  network: PaymentNetwork;
  refunds: RefundNetwork;
  disputes: DisputeNetwork;
  /** The network's lists by time; null: it has none, and its payments cannot be reconciled. */
  listings: NetworkListings | null;
  /** The name of the network's wallet, as customers know it, where it has one only. */
  walletName?: string;
  /** Closes the connections once the calls under way have ended. */
  close?: () => Promise<void>;
}

/** The owner of ports: what a payment was created with. No connector: its environment's simulators. */
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
