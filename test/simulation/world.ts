import type { CheckoutPaymentStatus } from '../../src/domain/checkout-state.ts';
import type { CheckoutStatus, PaymentMethod, TerminalReason } from '../../src/domain/statuses.ts';
import { Random } from '../support/harness/random.ts';
import { SimulatedClock } from './clock.ts';
import { SimulatedNetwork } from './network.ts';

export const secondMs = 1_000;

/** Simulated instants. */
export const expiresAtMs = 1_800_000;
export const captureEndsAtMs = 600_000;
/** Nothing gets lost from here on. */
export const healedAtMs = expiresAtMs + 5 * 60 * secondMs;

export type AttemptStatus = 'processing' | 'requiresAction' | 'paid' | 'declined' | 'failed' | 'voided';

/** The stored payment: all that a new run can resume from. */
export interface Rows {
  checkoutStatus: CheckoutStatus;
  terminalReason: TerminalReason | null;
  paymentStatus: CheckoutPaymentStatus;
  attemptsLeft: number;
  method: PaymentMethod | null;
  /** The run that may write. */
  owner: number;
  captureEnded: boolean;
  attempts: Map<number, AttemptStatus>;
}

/** The world of one simulated payment, and how rough it is: all of it follows from the seed. */
export class World {
  readonly random: Random;
  readonly clock = new SimulatedClock();
  readonly network: SimulatedNetwork;
  readonly rows: Rows = {
    checkoutStatus: 'open',
    terminalReason: null,
    paymentStatus: 'pending',
    attemptsLeft: 5,
    method: null,
    owner: 1,
    captureEnded: false,
    attempts: new Map(),
  };
  /** Probability that a worker dies at a step. */
  readonly death: number;
  readonly #loss: number;
  readonly #slownessMs: number;

  constructor(seed: number) {
    this.random = new Random(seed);
    // Swarm: a calm seed reaches states that a rough one never lives to see.
    this.#loss = this.random.pick([0, 0.1, 0.3, 0.6]);
    this.death = this.random.pick([0, 0.02, 0.1]);
    this.#slownessMs = this.random.pick([200, 2_000, 20_000]);
    this.network = new SimulatedNetwork(this.random, this.clock, expiresAtMs);
  }

  /** Whether this message gets lost. */
  lost(): boolean {
    return this.clock.nowMs < healedAtMs && this.random.chance(this.#loss);
  }

  latencyMs(): number {
    return 1 + Math.floor(this.random.next() * this.random.next() * this.#slownessMs);
  }
}
