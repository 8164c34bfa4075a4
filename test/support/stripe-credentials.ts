import type { StripeCredentials } from '../../src/connectors/credentials.ts';

/** Credentials of no account, at the providers' own addresses. */
export const fakeCredentials: StripeCredentials = {
  secretKey: 'sk_test_1',
  publishableKey: 'pk_test_1',
  webhookSecret: null,
  previousWebhookSecret: null,
  vaultUser: 'user',
  vaultPassword: 'password',
  vaultKey: 'key',
  vaultPassphrase: 'passphrase',
  apiBase: null,
  vaultBase: null,
};
