import type { Answer } from '../answer.ts';
import type { KeyedOptions, Transport } from '../transport.ts';
import type {
  Dispute,
  FaultOrdered,
  Payment,
  Refund,
  SandboxChallengeParams,
  SandboxClockParams,
  SandboxDisputeParams,
  SandboxFaultParams,
  SandboxOutcomeParams,
  SandboxRefundParams,
  SandboxResolveParams,
} from '../types.ts';

/** Simulation of customers, networks and faults, with a sandbox key. A live key gets NotFoundError. */
export class Sandbox {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Decides the attempt that is under way, or makes one for the customer. */
  setOutcome(paymentId: string, params: SandboxOutcomeParams, options?: KeyedOptions): Answer<Payment> {
    return this.#simulate('payments/{id}/outcome', paymentId, params, options);
  }

  /** Answers a challenge for the customer. */
  answerChallenge(
    paymentId: string,
    params: SandboxChallengeParams,
    options?: KeyedOptions,
  ): Answer<Payment> {
    return this.#simulate('payments/{id}/challenge', paymentId, params, options);
  }

  /** Moves the deadlines of a payment nearer. */
  advanceClock(paymentId: string, params: SandboxClockParams, options?: KeyedOptions): Answer<Payment> {
    return this.#simulate('payments/{id}/advance-clock', paymentId, params, options);
  }

  /** Opens a dispute of a paid payment. */
  openDispute(paymentId: string, params: SandboxDisputeParams, options?: KeyedOptions): Answer<Dispute> {
    return this.#simulate('payments/{id}/disputes', paymentId, params, options);
  }

  /** Decides a dispute. */
  resolveDispute(disputeId: string, params: SandboxResolveParams, options?: KeyedOptions): Answer<Dispute> {
    return this.#simulate('disputes/{id}/resolve', disputeId, params, options);
  }

  /** Decides a refund. */
  settleRefund(refundId: string, params: SandboxRefundParams, options?: KeyedOptions): Answer<Refund> {
    return this.#simulate('refunds/{id}/outcome', refundId, params, options);
  }

  /** Makes the next calls to a dependency fail in the given way. */
  injectFault(params: SandboxFaultParams, options?: KeyedOptions): Answer<FaultOrdered> {
    return this.#simulate('faults', undefined, params, options);
  }

  #simulate<T>(path: string, id: string | undefined, body: object, options: KeyedOptions = {}): Answer<T> {
    const { idempotencyKey = crypto.randomUUID() } = options;
    const call = { method: 'POST', path: `/v1/sandbox/${path}`, body, idempotencyKey, options } as const;
    return this.#transport.data(path.includes('{id}') ? { ...call, id: id ?? '' } : call);
  }
}
