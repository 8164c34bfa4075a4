import { z } from 'zod';
import { randomBase62, sha256Hex, stableJson } from '../secrets.ts';
import { Refusal } from '../server.ts';
import { cardBehaviour, cardBrand } from '../test-cards.ts';
import type { Table } from '../tables.ts';
import { pageExpiry, type Ledger } from './ledger.ts';
import {
  defaultFailureCode,
  lateSuccess,
  startCardCharge,
  startChallenge,
  startPageCharge,
  type ChargeStart,
} from './charge-rules.ts';
import { isOrderFor } from './orders.ts';
import { creationSchema, paymentMethods, type Charge, type Prepared } from './records.ts';
import type { VaultClient } from './vault-client.ts';

const httpUrl = z
  .string()
  .max(2048)
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol));

/** The body of a charge. Customer details are neither checked nor stored here. */
export const chargeBody = z.object({
  paymentId: z.string().min(1).max(128),
  attemptId: z.string().min(1).max(128),
  merchantId: z.string().min(1).max(128),
  environment: z.enum(['sandbox', 'live']),
  amountCents: z.int().min(1).max(100_000_000),
  currency: z.literal('USD'),
  method: z.enum(paymentMethods),
  cardToken: z.string().min(1).max(4096).nullish(),
  customer: z.unknown().optional(),
  checkoutExpiresAt: z.iso.datetime({ offset: true }),
  returnUrl: httpUrl,
  ancestorOrigins: z.array(httpUrl).max(20).optional(),
  /** Stored with the charge, and listed with it. */
  creation: creationSchema.optional(),
  /** The customer is challenged, whatever the card. */
  forceChallenge: z.literal(true).optional(),
});
export type ChargeBody = z.infer<typeof chargeBody>;

/** A charge and how its caller is answered; a repeat is answered at once. */
export interface ChargeAnswer {
  charge: Charge;
  answer: ChargeStart['answer'];
}

export interface ChargeFault {
  lateSuccess: boolean;
  doubleCallbacks: boolean;
}

interface Flight {
  bodyHash: string;
  done: Promise<ChargeAnswer>;
}

/**
 * Charges under idempotency keys: one key has one effect, however often and concurrently it is sent.
 */
export class Charging {
  readonly #ledger: Ledger;
  readonly #prepared: Table<Prepared>;
  readonly #vault: VaultClient;
  readonly #now: () => number;
  readonly #inFlight = new Map<string, Flight>();

  constructor(ledger: Ledger, prepared: Table<Prepared>, vault: VaultClient, now: () => number) {
    this.#ledger = ledger;
    this.#prepared = prepared;
    this.#vault = vault;
    this.#now = now;
  }

  /**
   * Charges, or returns the charge of this key. Refuses 409 `idempotency_key_reused` for another body
   * under the key; 503 `vault_unavailable` and 422 `card_token_rejected` record nothing, so the key stays
   * free.
   */
  async charge(key: string, body: ChargeBody, fault: ChargeFault): Promise<ChargeAnswer> {
    const bodyHash = sha256Hex(stableJson(body));
    const known = this.#ledger.charge(key);
    if (known) return repeat(known, bodyHash);
    const flight = this.#inFlight.get(key);
    if (flight) {
      if (flight.bodyHash !== bodyHash) throw keyReused();
      const { charge } = await flight.done;
      return repeat(this.#ledger.charge(key) ?? charge, bodyHash);
    }
    const done = this.#first(key, body, bodyHash, fault);
    this.#inFlight.set(key, { bodyHash, done });
    try {
      return await done;
    } finally {
      this.#inFlight.delete(key);
    }
  }

  async #first(key: string, body: ChargeBody, bodyHash: string, fault: ChargeFault): Promise<ChargeAnswer> {
    const prepared = this.#preparedFor(key, body);
    const number = await this.#cardNumber(body, prepared !== undefined);
    // The key may have been voided during the call to the vault. From here to the record there is no `await`.
    const voided = this.#ledger.charge(key);
    if (voided) return repeat(voided, bodyHash);
    const blank = this.#blankCharge(key, body, bodyHash, number);
    const start = fault.lateSuccess
      ? lateSuccess(blank.checkoutExpiresAt)
      : this.#start(blank, number, prepared, body.forceChallenge === true);
    // The charge and its page start at the same instant, so that both expire together.
    const opened = this.#ledger.outcome(blank, start.status, start.failureCode, blank.createdAt);
    const charge = this.#ledger.saveCharge({
      ...opened,
      due: start.due,
      step:
        opened.step ??
        (body.method === 'pix' && start.status === 'pending'
          ? this.#ledger.newStep(blank, blank.createdAt)
          : null),
      doubleCallbacks: fault.doubleCallbacks,
    });
    if (prepared) this.#prepared.delete(key);
    if (fault.doubleCallbacks) this.#ledger.notifyCharge(charge);
    return { charge, answer: start.answer };
  }

  /** Returns the outcome that the sandbox's own merchant ordered for this key. */
  #preparedFor(key: string, body: ChargeBody): Prepared | undefined {
    const prepared = this.#prepared.get(key);
    return prepared && isOrderFor(prepared, body) ? prepared : undefined;
  }

  #start(
    charge: Charge,
    number: string | null,
    prepared: Prepared | undefined,
    forced: boolean,
  ): ChargeStart {
    const now = charge.createdAt;
    if (prepared) return orderedStart(charge, prepared, now);
    if (charge.method !== 'card' || number === null) {
      return startPageCharge(charge.method === 'wallet' ? 'wallet' : 'pix', pageExpiry(charge, now));
    }
    const behaviour = cardBehaviour(number) ?? 'declined';
    const earlierDeclines = this.#ledger
      .chargesOf(charge.paymentId)
      .filter((earlier) => earlier.behaviour === behaviour && earlier.status === 'declined').length;
    const at = { now, checkoutExpiresAt: charge.checkoutExpiresAt, earlierDeclines };
    return forced ? startChallenge(behaviour, at) : startCardCharge(behaviour, at);
  }

  /** Returns null for methods without a card, and for an ordered outcome that comes without a token. */
  async #cardNumber(body: ChargeBody, ordered: boolean): Promise<string | null> {
    if (body.method !== 'card') return null;
    if (!body.cardToken) {
      if (ordered) return null;
      throw new Refusal(400, 'invalid_request', 'A card charge needs a cardToken.', 'cardToken');
    }
    const reveal = await this.#vault.reveal(body.cardToken, body.paymentId);
    if (reveal === 'unreachable')
      throw new Refusal(503, 'vault_unavailable', 'The vault cannot be asked now.');
    if (reveal === 'unknown')
      throw new Refusal(422, 'card_token_rejected', 'The vault does not know this token.');
    return reveal.number;
  }

  #blankCharge(key: string, body: ChargeBody, bodyHash: string, number: string | null): Charge {
    return {
      chargeId: `ch_${randomBase62(24)}`,
      key,
      paymentId: body.paymentId,
      attemptId: body.attemptId,
      merchantId: body.merchantId,
      environment: body.environment,
      amountCents: body.amountCents,
      currency: body.currency,
      method: body.method,
      status: 'pending',
      failureCode: null,
      card: number === null ? null : { brand: cardBrand(number), last4: number.slice(-4) },
      behaviour: number === null ? body.method : (cardBehaviour(number) ?? 'declined'),
      step: null,
      due: null,
      disputeAt: null,
      doubleCallbacks: false,
      bodyHash,
      returnUrl: body.returnUrl,
      ancestorOrigins: body.ancestorOrigins ?? [],
      checkoutExpiresAt: Date.parse(body.checkoutExpiresAt),
      createdAt: this.#now(),
      capturedAt: null,
      creation: body.creation ?? null,
      misreport: null,
    };
  }
}

/** Returns the start of a charge whose outcome was ordered: final at once, or pending until it is due. */
function orderedStart(charge: Charge, order: Prepared, now: number): ChargeStart {
  const failureCode = order.failureCode ?? defaultFailureCode(charge.method, order.outcome);
  if (order.afterSeconds === 0) return { status: order.outcome, failureCode, due: null, answer: 'now' };
  const due = { at: now + order.afterSeconds * 1000, status: order.outcome, failureCode };
  return { status: 'pending', failureCode: null, due, answer: 'now' };
}

/**
 * Answers a repeated key. A voided key is answered to every body, any other only to the body that created it.
 */
function repeat(charge: Charge, bodyHash: string): ChargeAnswer {
  if (charge.status !== 'voided' && charge.bodyHash !== bodyHash) throw keyReused();
  return { charge, answer: charge.behaviour === 'slow' ? 'decided' : 'now' };
}

function keyReused(): Refusal {
  return new Refusal(409, 'idempotency_key_reused', 'This key was used with another body.');
}
