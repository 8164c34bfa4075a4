import type { Keyring, SealContext } from './keyring.ts';

/** Purposes of keyed hashes, each with one name that writers and readers share. */
export const hashPurposes = {
  apiKey: 'api-key',
  checkoutToken: 'checkout-token',
  actionToken: 'action-token',
  cardToken: 'card-token',
  /** The Idempotency-Key of a creation, within its merchant. */
  creationKey: 'creation-key',
  /** A provider's identifier of a card's number, within its merchant. */
  cardFingerprint: 'card-fingerprint',
  /** A customer's network, within its merchant. */
  customerAddress: 'customer-address',
  /** The e-mail address of an erased customer, within their merchant. */
  erasedCustomer: 'erased-customer',
  /** The secret of a command line that waits for a key. */
  keyPairing: 'key-pairing',
  signInLink: 'sign-in-link',
  /** A sign-in link that was sent by mail. It proves less than one that an operator or a member passed on. */
  mailedLink: 'mailed-sign-in-link',
  signInName: 'sign-in-name',
  memberSession: 'member-session',
  signInDevice: 'sign-in-device',
} as const;

/** The place of each sealed value. */
export const sealContext = {
  canary: (): SealContext => ({ table: 'key_canary', column: 'text_sealed', row: 'canary' }),
  chainKey: (): SealContext => ({ table: 'chain_keys', column: 'private_key_sealed', row: 'chains' }),
  checkoutUrl: (paymentId: string): SealContext => ({
    table: 'payments',
    column: 'checkout_url_sealed',
    row: paymentId,
  }),
  privateCustomer: (paymentId: string): SealContext => ({
    table: 'payments',
    column: 'customer_private_sealed',
    row: paymentId,
  }),
  captureSecret: (paymentId: string): SealContext => ({
    table: 'capture_access',
    column: 'secret_sealed',
    row: paymentId,
  }),
  cardToken: (paymentId: string): SealContext => ({
    table: 'attempts',
    column: 'token_sealed',
    row: paymentId,
  }),
  action: (paymentId: string, attemptNo: number): SealContext => ({
    table: 'attempts',
    column: 'action_sealed',
    row: `${paymentId}:${attemptNo}`,
  }),
  connectorCredentials: (connectorId: string): SealContext => ({
    table: 'connectors',
    column: 'credentials_sealed',
    row: connectorId,
  }),
  mailServer: (merchantId: string, environment: string): SealContext => ({
    table: 'mail_settings',
    column: 'url_sealed',
    row: JSON.stringify([merchantId, environment]),
  }),
  mailContent: (mailId: string): SealContext => ({
    table: 'mails',
    column: 'content_sealed',
    row: mailId,
  }),
  webhookSecret: (endpointId: string): SealContext => ({
    table: 'webhook_endpoints',
    column: 'secret_sealed',
    row: endpointId,
  }),
  previousWebhookSecret: (endpointId: string): SealContext => ({
    table: 'webhook_endpoints',
    column: 'previous_secret_sealed',
    row: endpointId,
  }),
  secondFactor: (memberId: string): SealContext => ({
    table: 'members',
    column: 'totp_sealed',
    row: memberId,
  }),
  response: (merchantId: string, operation: string, key: string): SealContext => ({
    table: 'idempotency_responses',
    column: 'response_sealed',
    row: JSON.stringify([merchantId, operation, key]),
  }),
  /** Stored by callers, in no table. */
  listCursor: (table: string, filteredList: string): SealContext => ({
    table,
    column: 'list_cursor',
    row: filteredList,
  }),
  /** Kept by browsers, in no table. */
  identitySignIn: (): SealContext => ({
    table: 'members',
    column: 'identity_sign_in',
    row: '',
  }),
  /** Kept by browsers, in no table. */
  shownOnce: (sessionId: string): SealContext => ({
    table: 'member_sessions',
    column: 'shown_once',
    row: sessionId,
  }),
  /** Kept by browsers, in no table. */
  refusedSignIn: (): SealContext => ({
    table: 'members',
    column: 'refused_sign_in',
    row: '',
  }),
  keptPage: (memberId: string, id: string): SealContext => ({
    table: 'member_kept_pages',
    column: 'content_sealed',
    row: `${memberId}:${id}`,
  }),
} as const;

/**
 * Returns the secret of an attempt's action URL: 256 bits derived from the key ring. The return address that
 * the network gets before the charge is therefore the same after any crash, and only its hash is stored.
 * `storedHash`: if a hash is stored already, the secret with that hash is returned, even when look-up keys
 * were added since.
 */
export function actionToken(
  keyring: Keyring,
  paymentId: string,
  attemptNo: number,
  storedHash: Buffer | null,
): string {
  const [newest = '', ...older] = keyring
    .lookupHashes('action-url', `${paymentId}:${attemptNo}`)
    .map((hash) => hash.toString('base64url'));
  if (storedHash === null || older.length === 0) return newest;
  const made = [newest, ...older].find((token) =>
    keyring.lookupHashes(hashPurposes.actionToken, token).some((hash) => hash.equals(storedHash)),
  );
  return made ?? newest;
}

/** Returns the page to which a customer is sent for the current action. Spec: Checkout object > actionUrl. */
export const actionUrl = (publicUrl: string, token: string): string => `${publicUrl}/a/${token}`;
