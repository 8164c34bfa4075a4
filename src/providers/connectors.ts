import type { ConnectorKind, NamedWallet } from '../domain/connector.ts';
import type { Environment } from '../domain/statuses.ts';
import type { NetworkListings } from './listings.ts';
import type { PaymentNetwork, VaultClient } from './ports.ts';
import type { DisputeNetwork } from './dispute-port.ts';
import type { RefundNetwork } from './refund-port.ts';

/** The addresses at which merchants and browsers capture cards. */
export interface CaptureAddresses {
  /** The vault's name in `pciConfig.provider`. */
  provider: 'cardVault' | 'pciVault';
  urlOf: (vaultId: string) => string;
  /** The frame with card fields, the vault's own or ours; null: there is none, and no hosted page. */
  frameUrlOf: ((vaultId: string) => string) | null;
  /** The frame with the wallets' buttons on a hosted page, with its query; null: the network has none. */
  walletFrameUrl: string | null;
  /** Whether shops may also put that frame of card fields into their own pages. */
  shopsMayFrame: boolean;
  /** Whether the vault makes the secret of a session itself. */
  makesSecrets: boolean;
  /** Signs the list of sites that may frame the page around that frame; null: the frame gets no list. */
  signAncestors: ((frame: string, ancestors: string) => string) | null;
}

/** The ports of one merchant's vault and network in one environment. */
export interface ProviderPorts {
  kind: 'simulator' | ConnectorKind;
  capture: CaptureAddresses;
  /**
   * How a token is verified to be this payment's card: by a call to the vault, or by preparing the charge,
   * which is the only time that the vault sends the card anywhere.
   */
  cardsVerifiedBy: 'vault' | 'preparing';
  vault: VaultClient;
  network: PaymentNetwork;
  refunds: RefundNetwork;
  disputes: DisputeNetwork;
  /** The network's lists by time; null: it has none, and its payments cannot be reconciled. */
  listings: NetworkListings | null;
  /** The network's wallet as customers know it; null: it has several, or none with a page of its own. */
  wallet: NamedWallet | null;
  /** Closes the connections once the calls in progress have ended. */
  close?: () => Promise<void>;
}

/** The owner of ports: the connector with which a payment was created. Null: its environment's simulators. */
export interface ConnectorOwner {
  connectorId: string | null;
  environment: Environment;
}

/**
 * The one place that knows the vault and network of each payment. Throws `ProviderUnavailable` when the
 * connector's credentials cannot be read; then nothing was sent.
 */
export interface Connectors {
  portsOf(owner: ConnectorOwner): Promise<ProviderPorts>;
  /** The environments that have simulators. */
  readonly simulated: readonly Environment[];
}
