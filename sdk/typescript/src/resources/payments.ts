import { Answer, type WithResponse } from '../answer.ts';
import { type Listing, listOf } from '../listing.ts';
import { findMarked, marked, onceKey, requireSameAmount } from '../once.ts';
import type { Outcome } from '../outcome.ts';
import { type SettleCalls, Settling } from '../settle.ts';
import { throwIfAborted } from '../time-limit.ts';
import type { KeyedOptions, RequestOptions, Transport } from '../transport.ts';
import type {
  AttemptResult,
  CaptureCard,
  Checkout,
  CheckoutState,
  CreatedPayment,
  CursorMeta,
  NumberedMeta,
  Payment,
  PaymentCreateParams,
  PaymentListParams,
  PaymentRetrieveParams,
  PaymentSearchParams,
  StatusParams,
  Timeline,
  TimelineParams,
} from '../types.ts';

const path = '/v1/payments';
const defaultOutcomeTimeoutMs = 60_000;
/** The service may hold a status read this much longer than the requested wait. */
const slackMs = 10_000;

/**
 * A payment that `createOnce` made or found. `checkoutUrl` is null once the checkout can no longer be used.
 */
export type OncePayment = Pick<Payment, 'id' | 'status' | 'checkoutUrl' | 'expiresAt' | 'environment'>;

/** Payments and their checkouts. */
export class Payments {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a payment. The same key and parameters give the same payment for 24 hours. */
  create(
    params: PaymentCreateParams,
    options: KeyedOptions & { idempotencyKey: string },
  ): Answer<CreatedPayment> {
    const { idempotencyKey } = options;
    return this.#transport.data({ method: 'POST', path, body: params, idempotencyKey, options });
  }

  /**
   * Creates a payment, or finds the one that was created with this key before: in any process, at any time.
   * The key is yours, such as the id of the order; it is kept in the payment's metadata as `createOnceKey`. A
   * second payment for the same order needs another key. Throws ConflictError for another amount.
   */
  createOnce(
    orderKey: string,
    params: PaymentCreateParams,
    options: RequestOptions = {},
  ): Answer<OncePayment> {
    return new Answer<OncePayment>(this.#createOnce(orderKey, params, options));
  }

  /** Lists payments by pages, newest first. */
  list(params?: PaymentListParams, options?: RequestOptions): Listing<Payment, NumberedMeta> {
    return listOf(this.#transport, { path, query: params, options });
  }

  /** Finds payments by reference, customer, card or amount, newest first. */
  search(params: PaymentSearchParams, options?: RequestOptions): Listing<Payment, CursorMeta> {
    return listOf(this.#transport, { path: '/v1/search/payments', query: params, options });
  }

  /**
   * Reads a payment; with `waitSeconds` as soon as its status or its refunds change. Fulfill an order only
   * when its status is `paid`.
   */
  retrieve(id: string, params: PaymentRetrieveParams = {}, options: RequestOptions = {}): Answer<Payment> {
    return this.#waitingRead(`${path}/{id}`, id, params, options);
  }

  /** Reads what happened to a payment, and what it waits for. */
  timeline(id: string, params?: TimelineParams, options?: RequestOptions): Answer<Timeline> {
    return this.#transport.data({ method: 'GET', path: `${path}/{id}/timeline`, id, query: params, options });
  }

  /** Reads the status of a card capture; with `waitSeconds` as soon as it changes. */
  status(id: string, params: StatusParams = {}, options: RequestOptions = {}): Answer<CheckoutState> {
    return this.#waitingRead(`${path}/{id}/status`, id, params, options);
  }

  /** Opens the vault for the card of this payment. Charges nothing. Keep the answer on your backend. */
  prepareCapture(id: string, options?: RequestOptions): Answer<Checkout> {
    return this.#transport.data({ method: 'POST', path: `${path}/{id}/capture`, id, options });
  }

  /** Reads a card capture, with `actionUrl` while the customer must complete a step. */
  checkout(id: string, options?: RequestOptions): Answer<Checkout> {
    return this.#transport.data({ method: 'GET', path: `${path}/{id}/checkout`, id, options });
  }

  /** Makes one attempt, never repeated automatically. Prefer `payAndWait`, which handles lost answers. */
  pay(id: string, card: CaptureCard, options?: RequestOptions): Answer<AttemptResult> {
    return this.#transport.data({ method: 'POST', path: `${path}/{id}/pay`, id, body: card, options });
  }

  /** Confirms the customer's step, for merchants who handle it themselves. */
  confirm(id: string, options?: RequestOptions): Answer<AttemptResult> {
    return this.#transport.data({ method: 'POST', path: `${path}/{id}/confirm`, id, body: {}, options });
  }

  /**
   * Pays and returns the outcome, also after a lost answer, a 409 or a 503. Nothing is charged twice. When
   * the time (60 seconds by default) is over or the signal is aborted on the way, the outcome is `unknown`:
   * keep the order pending and call `recover`. Throws AuthenticationError and ValidationError.
   */
  async payAndWait(
    id: string,
    card: CaptureCard,
    options: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<Outcome> {
    const { timeoutMs = defaultOutcomeTimeoutMs, signal } = options;
    throwIfAborted(signal);
    return new Settling(this.#settleCalls(), id, { timeoutMs, signal }).pay(card);
  }

  /**
   * Returns how a payment stands, from its id alone and in any process. Waits, 60 seconds by default, while
   * an attempt is under way or none was made yet. After that the outcome is `unknown`, and `recover` may be
   * called again.
   */
  async recover(id: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<Outcome> {
    const { timeoutMs = defaultOutcomeTimeoutMs, signal } = options;
    throwIfAborted(signal);
    return new Settling(this.#settleCalls(), id, { timeoutMs, signal }).recover();
  }

  /** Makes a read that the service may hold for the requested wait. */
  #waitingRead<T>(
    where: string,
    id: string,
    query: { waitSeconds?: number },
    options: RequestOptions,
  ): Answer<T> {
    const { timeoutMs = this.#transport.settings.timeoutMs } = options;
    const { waitSeconds } = query;
    const longer = waitSeconds === undefined ? 0 : waitSeconds * 1_000 + slackMs;
    return this.#transport.data({
      method: 'GET',
      path: where,
      id,
      query,
      options: { ...options, timeoutMs: Math.max(timeoutMs, longer) },
    });
  }

  #settleCalls(): SettleCalls {
    const settle = (id: string, what: string, query: object, options: RequestOptions) =>
      ({ method: 'GET', path: `${path}/{id}${what}`, id, query, options }) as const;
    return {
      status: (id, query, options) => this.#transport.data(settle(id, '/status', query, options)),
      checkout: (id, options) => this.checkout(id, options),
      retrieve: (id, options) => this.retrieve(id, {}, options),
      timeline: (id, options) => this.timeline(id, {}, options),
      pay: (id, card, options) => this.pay(id, card, options),
    };
  }

  async #createOnce(
    orderKey: string,
    params: PaymentCreateParams,
    options: RequestOptions,
  ): Promise<WithResponse<OncePayment>> {
    const key = await onceKey(orderKey);
    const { reference, amountCents } = params;
    const found = await findMarked(this.search({ reference, limit: 100 }, options), key);
    if (found === null) {
      return this.create(marked(params, key), { ...options, idempotencyKey: key }).withResponse();
    }
    requireSameAmount(found.data, amountCents);
    const { id, status, checkoutUrl, expiresAt, environment } = found.data;
    return { ...found, data: { id, status, checkoutUrl, expiresAt, environment } };
  }
}
