import type { Keyring, SealContext } from './keyring.ts';

/** Purposes of keyed hashes: one name each, shared by writers and readers. */
export const hashPurposes = {
  apiKey: 'api-key',
  checkoutToken: 'checkout-token',
  actionToken: 'action-token',
  cardToken: 'card-token',
  /** Of the Idempotency-Key of a creation, within its merchant. */
  creationKey: 'creation-key',
  /** Of a provider's name for a card's number, within its merchant. */
  cardFingerprint: 'card-fingerprint',
  /** Of a customer's network, within its merchant. */
  customerAddress: 'customer-address',
  /** Of the e-mail address of a customer who was erased, within their merchant. */
  erasedCustomer: 'erased-customer',
  /** Of the secret of a command line that waits for a key. */
  keyPairing: 'key-pairing',
  signInLink: 'sign-in-link',
  /** Of a link that was sent by mail: it shows less than one that was handed over. */
  mailedLink: 'mailed-sign-in-link',
  signInName: 'sign-in-name',
  memberSession: 'member-session',
  signInDevice: 'sign-in-device',
} as const;

/** Where each sealed value lives. */
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
  /** Kept by callers, in no table. */
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
 * The secret of an attempt's action URL: 256 bits derived from the key ring, so that the return address given
 * to the network before the charge is the same after any crash, and only its hash has to be stored.
 * `storedHash`: where one is stored already, the secret with that hash is returned, also when look-up keys
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

/** The page a customer is sent to for the current action. Spec: Checkout object > actionUrl. */
export const actionUrl = (publicUrl: string, token: string): string => `${publicUrl}/a/${token}`;
