import type { Agent } from 'undici';
import { signAncestors } from '../crypto/frame-ancestors.ts';
import type { ProviderPorts } from '../providers/connectors.ts';
import { createPciVaultClient, type PciVaultClient } from '../providers/pci-vault/client.ts';
import { createStripe, stripeApiVersion } from '../providers/stripe/client.ts';
import { createStripeDisputes } from '../providers/stripe/disputes.ts';
import { createStripeListings } from '../providers/stripe/listings.ts';
import { createStripeNetwork } from '../providers/stripe/network.ts';
import { createStripeRefunds } from '../providers/stripe/refunds.ts';
import type { StripeCredentials } from './credentials.ts';

const stripeApi = 'https://api.stripe.com';
const vaultApi = 'https://api.pcivault.io';
const stripeScript = 'https://js.stripe.com';

/** How long the vault waits for Stripe, in ms: no longer than the caller waits for the attempt. */
const proxyTimeoutMs = 9_000;

/** The card fields of hosted pages, and the vault that they send cards to: base URLs. */
export interface CardFrameAddress {
  url: string;
  vaultUrl: string;
  /** The wallets' buttons, on an origin of their own, and where they load Stripe.js; null: there are none. */
  wallets: { url: string; stripeUrl: string } | null;
  /** Signs which sites may frame them. */
  key: string;
}

/**
 * Returns Stripe and the vault of its cards behind the ports. Calls nothing. `frame`: null where none is set
 * up; then there are no hosted pages.
 */
export function openStripePair(
  credentials: StripeCredentials,
  agent: Agent,
  frame: CardFrameAddress | null,
): ProviderPorts {
  const stripe = createStripe({ ...credentials, agent });
  const vault = openPciVault(credentials);
  const vaultBase = credentials.vaultBase ?? vaultApi;
  return {
    kind: 'stripe',
    capture: {
      provider: 'pciVault',
      urlOf: (vaultId) => `${vaultBase}/v1/capture/${vaultId}`,
      // The vault has no fields that exchange messages with the checkout page. Ours send cards to one vault
      // only.
      frameUrlOf: frame?.vaultUrl === vaultBase ? (vaultId) => `${frame.url}/frame/${vaultId}` : null,
      walletFrameUrl: walletFrameUrl(credentials, frame),
      // It accepts messages of the checkout page only.
      shopsMayFrame: false,
      makesSecrets: true,
      signAncestors: frame && ((signed, ancestors) => signAncestors(frame.key, signed, ancestors)),
    },
    cardsProvenBy: 'preparing',
    vault,
    network: createStripeNetwork({
      stripe,
      publishableKey: credentials.publishableKey,
      makePaymentMethod: (card) => vault.makePaymentMethod(card),
    }),
    refunds: createStripeRefunds(stripe),
    disputes: createStripeDisputes(stripe),
    listings: createStripeListings(stripe),
    close: () => vault.close(),
  };
}

/** The frame loads one Stripe.js only, which must be that of the account's API. */
function walletFrameUrl(
  { publishableKey, apiBase }: StripeCredentials,
  frame: CardFrameAddress | null,
): string | null {
  const wallets = frame?.wallets;
  if (!wallets || wallets.stripeUrl !== (apiBase ?? stripeScript)) return null;
  return `${wallets.url}/wallet?key=${encodeURIComponent(publishableKey)}`;
}

/** Returns the vault of these credentials. Calls nothing. */
export function openPciVault(credentials: StripeCredentials): PciVaultClient {
  return createPciVaultClient({
    baseUrl: credentials.vaultBase ?? vaultApi,
    user: credentials.vaultUser,
    password: credentials.vaultPassword,
    key: credentials.vaultKey,
    passphrase: credentials.vaultPassphrase,
    stripe: {
      apiBase: credentials.apiBase ?? stripeApi,
      secretKey: credentials.secretKey,
      apiVersion: stripeApiVersion,
    },
    now: Date.now,
    proxyTimeoutMs,
  });
}
