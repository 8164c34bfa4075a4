import { log } from '@temporalio/workflow';
import type { LocalActivities } from '../local-activities.ts';
import type { ProviderActivities } from '../provider-activities.ts';
import type { ProviderWork } from './provider-work.ts';
import type { PaymentRun } from './run.ts';

/** Ends capture access. The API begins it, guarded by the payment's row. */
export class CaptureAccess {
  readonly #run: PaymentRun;
  readonly #local: LocalActivities;
  readonly #provider: ProviderActivities;
  readonly #work: ProviderWork;

  constructor(run: PaymentRun, local: LocalActivities, provider: ProviderActivities, work: ProviderWork) {
    this.#run = run;
    this.#local = local;
    this.#provider = provider;
    this.#work = work;
  }

  /** Ends the access in the rows, and at the vault where it was registered. */
  async end(): Promise<void> {
    const { revoke } = await this.#local.endCapture({ paymentId: this.#run.paymentId });
    if (revoke) this.revoke();
  }

  /** Revokes access at the vault beside the loop: an unavailable vault must not block anything else. */
  revoke(): void {
    this.#work.runInBackground(() =>
      this.#provider.untilDone
        .revokeCapture({ paymentId: this.#run.paymentId })
        .catch(() => log.warn('capture access was not revoked at the vault')),
    );
  }
}
