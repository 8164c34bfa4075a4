import { log } from '@temporalio/workflow';
import type { CheckoutEvent } from '../../domain/checkout.ts';
import type { ProviderActivities } from '../provider-activities.ts';
import type { ProviderWork } from './provider-work.ts';
import { type PaymentRun, refusal } from './run.ts';

/**
 * Access to the vault for one payment's card: registered when first asked for, ended at the vault before the
 * end.
 */
export class CaptureAccess {
  readonly #run: PaymentRun;
  readonly #provider: ProviderActivities;
  readonly #work: ProviderWork;
  /**
   * Registered by this very run. What the rows of an earlier run promise is asked for again: it is the same
   * access.
   */
  #registered = false;
  /**
   * Set before registering: a call that failed half way may have left a secret here or a session at the
   * vault.
   */
  #toEnd: boolean;
  #registration: Promise<void> | null = null;

  constructor(run: PaymentRun, provider: ProviderActivities, work: ProviderWork, resumed: boolean) {
    this.#run = run;
    this.#provider = provider;
    this.#work = work;
    this.#toEnd = resumed;
  }

  /** Something may be left at the vault. */
  get mustEnd(): boolean {
    return this.#toEnd;
  }

  /** Registers access unless this run did. Throws the refusal of `prepareCapture`, or service_unavailable. */
  async prepare(): Promise<void> {
    this.#run.take({ type: 'prepareCapture' });
    if (this.#registered) return;
    this.#toEnd = true;
    // Two prepares share one registration; a failed one may be tried again by the next call.
    this.#registration ??= this.#register();
    await this.#registration;
    if (!this.#registered) throw refusal('service_unavailable');
    // Registering took time: the window or a pay may have ended the access meanwhile.
    this.#run.take({ type: 'prepareCapture' });
  }

  async #register(): Promise<void> {
    try {
      await this.#provider.once.registerCapture({ paymentId: this.#run.paymentId });
      this.#registered = true;
    } catch {
      this.#registration = null;
    }
  }

  /** The accepted card ended the access in custom mode, at the vault and in the rows. */
  cardAccepted(event: CheckoutEvent): void {
    if (this.#run.state.mode !== 'custom') return;
    this.#registered = false;
    // A released or voided attempt may have ended before the rows or the vault heard of it.
    if (event.type !== 'AttemptReleased' && event.type !== 'AttemptVoided') this.#toEnd = false;
  }

  /** Another run may have registered access. */
  resume(): void {
    this.#registered = false;
    this.#toEnd = true;
  }

  /** Ends access at the vault beside the loop: a vault that is away must not hold up anything else. */
  end(): void {
    if (!this.#toEnd) return;
    this.#registered = false;
    this.#toEnd = false;
    this.#work.beside(() =>
      this.#provider.untilDone
        .endCapture({ paymentId: this.#run.paymentId })
        .catch(() => log.warn('capture access was not ended at the vault')),
    );
  }
}
