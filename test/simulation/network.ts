import type { Random } from '../support/harness/random.ts';
import type { SimulatedClock } from './clock.ts';

export type ChargeStatus = 'captured' | 'declined' | 'failed' | 'requires_action' | 'pending' | 'voided';

export interface Charge {
  status: ChargeStatus;
  failureCode: string | null;
  challenge: 'open' | 'passed' | 'failed';
  /** When a pending charge is captured. */
  dueAtMs: number;
}

/** How a card behaves; `moody` differs from charge to charge, `late` is captured after the deadline. */
type Card = 'captured' | 'declined' | 'failed' | 'requires_action' | 'late' | 'moody';

/**
 * The simulated network: one effect per key, whatever is repeated; its list of charges is the truth about
 * money.
 */
export class SimulatedNetwork {
  /** By attempt number, which is the key. */
  readonly charges = new Map<number, Charge>();
  readonly #random: Random;
  readonly #clock: SimulatedClock;
  readonly #lateAtMs: number;
  readonly #card: Card;

  constructor(random: Random, clock: SimulatedClock, expiresAtMs: number) {
    this.#random = random;
    this.#clock = clock;
    this.#lateAtMs = expiresAtMs + 2_000;
    this.#card = random.weighted<Card>([
      ['captured', 4],
      ['declined', 3],
      ['failed', 1],
      ['requires_action', 4],
      ['late', 1],
      ['moody', 3],
    ]);
  }

  charge(key: number): Charge {
    const charge = this.charges.get(key) ?? this.#open();
    this.charges.set(key, charge);
    return this.#asOfNow(charge);
  }

  lookup(key: number): Charge | null {
    const charge = this.charges.get(key);
    return charge === undefined ? null : this.#asOfNow(charge);
  }

  /** The customer answers whatever challenge is open. */
  answerChallenge(passes: boolean): void {
    for (const charge of this.charges.values()) {
      if (charge.status === 'requires_action' && charge.challenge === 'open') {
        charge.challenge = passes ? 'passed' : 'failed';
      }
    }
  }

  confirm(key: number): Charge {
    const charge = this.charges.get(key);
    if (charge === undefined) throw new Error(`charge ${key} is confirmed, but was never made`);
    if (charge.status === 'requires_action' && charge.challenge !== 'open') {
      charge.status = charge.challenge === 'passed' ? 'captured' : 'declined';
      charge.failureCode = charge.challenge === 'passed' ? null : 'authentication_failed';
    }
    return charge;
  }

  /** Closes the key: nothing can be charged under it any more, unless it already was. */
  void(key: number): Charge {
    const charge = this.lookup(key) ?? this.#make('voided');
    if (charge.status === 'requires_action' && charge.challenge !== 'passed') charge.status = 'voided';
    this.charges.set(key, charge);
    return charge;
  }

  #open(): Charge {
    const kind =
      this.#card === 'moody'
        ? this.#random.pick(['captured', 'declined', 'requires_action', 'late', 'failed'] as const)
        : this.#card;
    return this.#make(kind === 'late' ? 'pending' : kind);
  }

  #asOfNow(charge: Charge): Charge {
    if (charge.status === 'pending' && this.#clock.nowMs >= charge.dueAtMs) charge.status = 'captured';
    return charge;
  }

  #make(status: ChargeStatus): Charge {
    const failureCode = status === 'declined' || status === 'failed' ? 'card_declined' : null;
    return { status, failureCode, challenge: 'open', dueAtMs: this.#lateAtMs };
  }
}
