import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ProviderUnavailable, type VaultClient } from '../ports.ts';
import { type PciVaultHttp, createPciVaultHttp } from './http.ts';
import { type PaymentMethodResult, readProxyAnswer } from './proxy-answer.ts';

export interface PciVaultClientOptions {
  /** Base address without a path, such as `https://api.pcivault.io`. */
  baseUrl: string;
  /** API credentials of the account. */
  user: string;
  password: string;
  /** The encryption key, by name and passphrase. */
  key: string;
  passphrase: string;
  /** The destination of cards: Stripe's API, for the account of this secret key. */
  stripe: { apiBase: string; secretKey: string; apiVersion?: string };
  /** Epoch ms. */
  now: () => number;
  /** Longest wait for an answer, in ms; default 5,000. */
  timeoutMs?: number;
  /** Longest wait while the vault itself waits for Stripe, in ms. */
  proxyTimeoutMs: number;
}

export interface PciVaultClient extends VaultClient {
  /**
   * Creates the capture endpoint of a payment. `secret` is made by the vault, and only it opens the endpoint.
   * A repeated call creates a new endpoint with another secret, and the earlier secret becomes invalid.
   */
  registerSession(
    session: Parameters<VaultClient['registerSession']>[0],
  ): Promise<{ captureUrl: string; secret: string }>;
  /**
   * Creates a payment method at Stripe from the card that the vault holds under exactly this token and
   * reference. The vault sends the card and waits for Stripe's answer. The call moves no money. Repeated
   * under its key it returns the same payment method.
   */
  makePaymentMethod(card: {
    token: string;
    reference: string;
    idempotencyKey: string;
  }): Promise<PaymentMethodResult>;
  /** Deletes the cards under a reference, with their security codes. Also succeeds when there are none. */
  forgetCards(reference: string): Promise<void>;
  /** Checks account, key and passphrase by creating an endpoint and deleting it. */
  check(): Promise<'ok' | 'refused'>;
  close(): Promise<void>;
}

const endpointSchema = z.object({
  url: z.string().regex(/^\/v1\/capture\/[\w-]{1,128}$/),
  secret: z.string().min(16).max(512),
});

/** The stored cards, by the name of their encryption key. */
const listSchema = z.record(
  z.string(),
  z.array(z.object({ token: z.string().min(1).max(512), reference: z.string() })).max(1_000),
);

/** The card fields as merchants and the frame send them to a capture endpoint. */
const cardTemplate = [
  'type=card',
  'card[number]={{card_number}}',
  'card[exp_month]={{card_expiry_month}}',
  'card[exp_year]=20{{card_expiry_year}}',
  'card[cvc]={{card_cvv}}',
].join('&');

const checkTtlMs = 60_000;
const inUse = new Set([400, 409, 422]);
const unknownTokenStatuses = new Set([400, 404, 422]);

/**
 * Returns the port of PCI Vault (docs.pcivault.io). docs/simulators.md lists what could not be verified
 * without an account.
 */
export function createPciVaultClient(options: PciVaultClientOptions): PciVaultClient {
  const { baseUrl, key, now, timeoutMs = 5_000 } = options;
  const http = createPciVaultHttp(options);
  const { createEndpoint, deleteEndpoint, deleteToken } = createVaultCalls(http, options);
  const makePaymentMethod = createPaymentMethodMaker(http, options);

  return {
    makePaymentMethod,

    async registerSession({ reference, expiresAt }) {
      const ttlMs = Date.parse(expiresAt) - now();
      let answer = await createEndpoint(reference, ttlMs);
      if (inUse.has(answer.status)) {
        // The endpoint exists, but its secret was lost, and only a new endpoint returns one.
        await deleteEndpoint(reference);
        answer = await createEndpoint(reference, ttlMs);
      }
      if (answer.status > 299) throw unavailable(answer.status);
      const endpoint = endpointSchema.safeParse(answer.body);
      if (!endpoint.success || !endpoint.data.url.endsWith(`/${reference}`)) {
        throw new ProviderUnavailable('vault', true, 'the answer does not match the protocol');
      }
      return { captureUrl: baseUrl + endpoint.data.url, secret: endpoint.data.secret };
    },

    revokeSession: deleteEndpoint,

    async claimToken({ token, reference }) {
      // A new key each time: the customer may have corrected the card since, and attempts have other keys.
      const made = await makePaymentMethod({ token, reference, idempotencyKey: `claim:${randomUUID()}` });
      return made.status === 'made' ? { status: 'accepted', card: made.card } : { status: 'rejected' };
    },

    async forgetCards(reference) {
      const { status, body } = await http.call({
        method: 'GET',
        path: '/v1/vault',
        query: { user: key, reference },
        timeoutMs,
      });
      if (status === 404) return;
      if (status > 299) throw unavailable(status);
      const listed = listSchema.safeParse(body);
      if (!listed.success)
        throw new ProviderUnavailable('vault', true, 'the answer does not match the protocol');
      const kept = Object.values(listed.data).flat();
      // The list may hold cards of other references, which must not be deleted.
      for (const { token } of kept.filter((each) => each.reference === reference)) {
        await deleteToken(token, reference);
      }
    },

    async check() {
      const probe = `check-${randomUUID().slice(0, 18)}`;
      const { status } = await createEndpoint(probe, checkTtlMs);
      if (status > 299) return 'refused';
      await deleteEndpoint(probe);
      return 'ok';
    },

    close: () => http.close(),
  };
}

const unavailable = (status: number): ProviderUnavailable =>
  new ProviderUnavailable('vault', true, `status ${status}`);

/** Returns the calls about capture endpoints and tokens. An object that does not exist counts as deleted. */
function createVaultCalls(http: PciVaultHttp, { key, passphrase, timeoutMs = 5_000 }: PciVaultClientOptions) {
  const createEndpoint = (reference: string, ttlMs: number) =>
    http.call({
      method: 'POST',
      path: '/v1/capture',
      query: {
        user: key,
        passphrase,
        unique_id: reference,
        ttl: `PT${Math.max(1, Math.ceil(ttlMs / 1_000))}S`,
      },
      timeoutMs,
    });

  const deleteEndpoint = async (reference: string): Promise<void> => {
    const { status } = await http.call({
      method: 'DELETE',
      path: `/v1/capture/${encodeURIComponent(reference)}`,
      timeoutMs,
    });
    // An endpoint that does not exist accepts no cards either.
    if (status > 299 && status !== 404) throw unavailable(status);
  };

  const deleteToken = async (token: string, reference: string): Promise<void> => {
    const { status } = await http.call({
      method: 'DELETE',
      path: '/v1/vault',
      query: { user: key, token, reference },
      timeoutMs,
    });
    if (status > 299 && status !== 404) throw unavailable(status);
  };

  return { createEndpoint, deleteEndpoint, deleteToken };
}

/** Returns the call by which the vault sends a card to Stripe. */
function createPaymentMethodMaker(
  http: PciVaultHttp,
  { key, passphrase, stripe, proxyTimeoutMs }: PciVaultClientOptions,
): PciVaultClient['makePaymentMethod'] {
  return async ({ token, reference, idempotencyKey }) => {
    const { status, body } = await http.call({
      method: 'POST',
      path: '/v1/proxy/post',
      query: { user: key, passphrase, token, reference, synchronous: 'true' },
      body: {
        request: {
          method: 'POST',
          url: `${stripe.apiBase}/v1/payment_methods`,
          headers: [
            { 'Content-Type': 'application/x-www-form-urlencoded' },
            { Authorization: `Bearer ${stripe.secretKey}` },
            // The vault retries by itself. With one key all its tries make one payment method.
            { 'Idempotency-Key': idempotencyKey },
            ...(stripe.apiVersion === undefined ? [] : [{ 'Stripe-Version': stripe.apiVersion }]),
          ],
          body: cardTemplate,
        },
      },
      timeoutMs: proxyTimeoutMs,
    });
    if (unknownTokenStatuses.has(status)) return { status: 'token_rejected' };
    if (status > 299) throw unavailable(status);
    const made = readProxyAnswer(body);
    if (made) return made;
    throw new ProviderUnavailable('vault', true, 'the answer is not what was agreed');
  };
}
