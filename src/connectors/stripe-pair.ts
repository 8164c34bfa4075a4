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

/** The base URLs of hosted pages' card fields and of the vault that gets the cards. */
export interface CardFrameAddress {
  url: string;
  vaultUrl: string;
  /** The wallets' buttons, on their own origin, and where they load Stripe.js; null: there are none. */
  wallets: { url: string; stripeUrl: string } | null;
  /** The key that signs the list of sites that may frame them. */
  key: string;
}

/**
 * Returns the ports of Stripe and of the vault of its cards. Makes no call. `frame` null: no card fields are
 * set up, and there are no hosted pages. `now`: PostgreSQL's time in epoch ms.
 */
export function openStripePair(
  credentials: StripeCredentials,
  { agent, frame, now }: { agent: Agent; frame: CardFrameAddress | null; now: () => number },
): ProviderPorts {
  const stripe = createStripe({ ...credentials, agent });
  const vault = openPciVault(credentials, now);
  const vaultBase = credentials.vaultBase ?? vaultApi;
  return {
    kind: 'stripe',
    capture: {
      provider: 'pciVault',
      urlOf: (vaultId) => `${vaultBase}/v1/capture/${vaultId}`,
      // The vault has no fields that exchange messages with the checkout page. Our own fields send cards to
      // one vault only.
      frameUrlOf: frame?.vaultUrl === vaultBase ? (vaultId) => `${frame.url}/frame/${vaultId}` : null,
      walletFrameUrl: walletFrameUrl(credentials, frame),
      // The frame accepts messages from the checkout page only.
      shopsMayFrame: false,
      makesSecrets: true,
      signAncestors: frame && ((signed, ancestors) => signAncestors(frame.key, signed, ancestors)),
    },
    cardsVerifiedBy: 'preparing',
    vault,
    network: createStripeNetwork({
      stripe,
      publishableKey: credentials.publishableKey,
      makePaymentMethod: (card) => vault.makePaymentMethod(card),
    }),
    refunds: createStripeRefunds(stripe),
    disputes: createStripeDisputes(stripe),
    listings: createStripeListings(stripe),
    // Apple Pay and Google Pay have buttons of their own, in the frame above.
    wallet: null,
    close: () => vault.close(),
  };
}

/** Returns the wallets' frame; null if its one Stripe.js is not that of the account's API. */
function walletFrameUrl(
  { publishableKey, apiBase }: StripeCredentials,
  frame: CardFrameAddress | null,
): string | null {
  const wallets = frame?.wallets;
  if (!wallets || wallets.stripeUrl !== (apiBase ?? stripeScript)) return null;
  return `${wallets.url}/wallet?key=${encodeURIComponent(publishableKey)}`;
}

/** Returns the vault of these credentials. Makes no call. `now`: PostgreSQL's time in epoch ms. */
export function openPciVault(credentials: StripeCredentials, now: () => number): PciVaultClient {
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
    now,
    proxyTimeoutMs,
  });
}
