import { Stripe } from 'stripe';
import type { Agent } from 'undici';
import type { Environment } from '../domain/statuses.ts';
import { createStripe } from '../providers/stripe/client.ts';
import type { StripeCredentials } from './credentials.ts';
import { ProviderUnavailable } from '../providers/ports.ts';
import { openPciVault } from './stripe-pair.ts';

/** A provider's answer about credentials: the account and its abilities. */
export interface CheckedAccount {
  /** The account as the provider names it. */
  account: string;
  country: string | null;
  /** The account's abilities. A missing one stops live payments, not the check. */
  can: { charges: boolean; cards: boolean; payouts: boolean };
}

/** Credentials that cannot be used. The message is one line that is safe to print, without any secret. */
export class ConnectorProblem extends Error {}

const prefixes = {
  sandbox: { secret: /^(sk|rk)_test_/, publishable: /^pk_test_/ },
  live: { secret: /^(sk|rk)_live_/, publishable: /^pk_live_/ },
} as const;

/**
 * Refuses credentials of the other environment, by the prefixes of Stripe's keys. Throws `ConnectorProblem`.
 */
export function refuseForeignKeys(
  { secretKey, publishableKey, webhookSecret }: StripeCredentials,
  environment: Environment,
): void {
  const other = environment === 'live' ? 'sandbox' : 'live';
  for (const [name, text, what] of [
    ['secret', secretKey, 'secret key'],
    ['publishable', publishableKey, 'publishable key'],
  ] as const) {
    if (prefixes[environment][name].test(text)) continue;
    throw new ConnectorProblem(
      prefixes[other][name].test(text)
        ? `the ${what} is of Stripe's ${other === 'live' ? 'live' : 'test'} mode: ${environment} needs ${wanted(name, environment)}`
        : `the ${what} is not one of Stripe's: those begin with ${wanted(name, environment)}`,
    );
  }
  if (webhookSecret !== null && !webhookSecret.startsWith('whsec_')) {
    throw new ConnectorProblem('the webhook secret is not one of Stripe’s: those begin with whsec_');
  }
}

const wanted = (name: 'secret' | 'publishable', environment: Environment): string => {
  const mode = environment === 'live' ? 'live' : 'test';
  return name === 'secret' ? `sk_${mode}_ or rk_${mode}_` : `pk_${mode}_`;
};

/**
 * Checks the credentials at Stripe and the vault, and returns the account's abilities. Throws
 * `ConnectorProblem` for credentials that are wrong, expired, of the other environment or lack a right, for a
 * live account that may not accept cards, and when a provider does not answer.
 */
export async function checkStripePair(
  credentials: StripeCredentials,
  environment: Environment,
  agent: Agent,
): Promise<CheckedAccount> {
  refuseForeignKeys(credentials, environment);
  const account = await readAccount(createStripe({ ...credentials, agent }));
  const checked = {
    account: account.id,
    country: account.country ?? null,
    can: {
      charges: account.charges_enabled,
      cards: account.capabilities?.card_payments === 'active',
      payouts: account.payouts_enabled,
    },
  };
  if (environment === 'live' && !(checked.can.charges && checked.can.cards)) {
    throw new ConnectorProblem(
      `the Stripe account ${account.id} may not take live card payments yet: finish its activation at Stripe`,
    );
  }
  await checkVault(credentials);
  return checked;
}

async function checkVault(credentials: StripeCredentials): Promise<void> {
  // The check compares no instants with stored ones.
  const vault = openPciVault(credentials, Date.now);
  try {
    if ((await vault.check()) === 'ok') return;
  } catch (error) {
    if (error instanceof ProviderUnavailable) {
      throw new ConnectorProblem('PCI Vault did not answer: try again, or check the address');
    }
    throw error;
  } finally {
    await vault.close();
  }
  throw new ConnectorProblem('PCI Vault does not take the user, the password, the key or its passphrase');
}

async function readAccount(stripe: Stripe): Promise<Stripe.Account> {
  try {
    return await stripe.accounts.retrieveCurrent();
  } catch (error) {
    throw new ConnectorProblem(problemOf(error));
  }
}

function problemOf(error: unknown): string {
  if (error instanceof Stripe.errors.StripeAuthenticationError) {
    return error.code === 'api_key_expired'
      ? 'the secret key has expired: make a new one at Stripe'
      : 'Stripe does not know the secret key';
  }
  if (error instanceof Stripe.errors.StripePermissionError) {
    return 'the restricted key may not read its account: docs/going-live.md names the rights it needs';
  }
  if (error instanceof Stripe.errors.StripeRateLimitError)
    return 'Stripe asks to wait: try again in a minute';
  if (error instanceof Stripe.errors.StripeConnectionError) return 'Stripe did not answer: try again';
  const status = error instanceof Stripe.errors.StripeError ? error.statusCode : undefined;
  return status === undefined
    ? 'Stripe did not answer as agreed: check the address'
    : `Stripe answered ${status}: try again`;
}
