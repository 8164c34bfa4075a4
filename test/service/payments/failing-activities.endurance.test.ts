import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { AttemptReport } from '../../../src/activities/attempt-report.ts';
import type { AttemptActivities } from '../../../src/activities/attempts.ts';
import type { CaptureActivities } from '../../../src/activities/capture.ts';
import type { Committed, TransitionActivities } from '../../../src/activities/transitions.ts';
import type { Transition } from '../../../src/domain/transition.ts';
import { failureConverter } from '../../../src/temporal/failure-converter.ts';
import type { CheckoutSnapshot } from '../../../src/temporal/contract/payment.ts';
import type { paymentWorkflow } from '../../../src/workflows/payment/payment.ts';
import {
  declinedReport,
  minute,
  paidReport,
  refusalOf,
  report,
  startOf,
  startTimeSkipping,
} from '../../support/payment-harness.ts';

/** Seeds of the run's payments, one each; a failure prints its seed. */
const seeds = Array.from({ length: 16 }, (_, index) => 20_261 + index);

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTimeSkipping();
});
afterAll(() => env.teardown());

/** Returns a generator of deterministic numbers in [0, 1). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Charge = 'captured' | 'declined' | 'requires_action' | 'voided';

/** One payment and its rows, at a network whose calls fail before or after their effect, or have it late. */
class RoughPayment {
  readonly charges = new Map<number, Charge>();
  readonly transitions: Transition[] = [];
  readonly broken: string[] = [];
  rough = true;
  #late: { attemptNo: number; charge: Charge; atMs: number }[] = [];
  #dice: () => number;
  #expiresAtMs: number;

  constructor(seed: number, expiresAtMs: number) {
    this.#dice = numbersFrom(seed);
    this.#expiresAtMs = expiresAtMs;
  }

  chance = (share: number): boolean => this.#dice() < share;

  get latest(): Transition | undefined {
    return this.transitions.at(-1);
  }

  /** Whether a sent attempt may still take effect: it has not arrived, and its key is not closed. */
  get #mayArrive(): boolean {
    return this.#late.some(({ attemptNo }) => !this.charges.has(attemptNo));
  }

  /** Lets late requests that their callers gave up arrive when they are due, unless their key was closed. */
  async #arrive(): Promise<void> {
    const now = await env.currentTimeMs();
    const due = this.#late.filter(({ atMs }) => atMs <= now);
    this.#late = this.#late.filter(({ atMs }) => atMs > now);
    for (const { attemptNo, charge } of due) {
      if (!this.charges.has(attemptNo)) this.charges.set(attemptNo, charge);
    }
  }

  /** Sometimes fails an activity, before or after its effect. */
  async #roughly<T>(effect: () => T): Promise<T> {
    if (this.rough && this.chance(0.2)) throw new Error('lost on the way');
    const done = effect();
    if (this.rough && this.chance(0.2)) throw new Error('the answer is lost');
    return done;
  }

  #reportOf(attemptNo: number): AttemptReport {
    const charge = this.charges.get(attemptNo);
    if (charge === 'captured') return paidReport;
    if (charge === 'declined') return declinedReport;
    return report({ status: charge === 'requires_action' ? 'requiresAction' : 'voided' });
  }

  endCapture = (): Promise<{ revoke: boolean }> => this.#roughly(() => ({ revoke: true }));
  revokeCapture = (): Promise<void> => this.#roughly(() => undefined);

  /** Like `claimAttempt`: a workflow task that was lost is repeated, and finds the attempt claimed. */
  readonly #claimed = new Set<number>();

  async authorize(attemptNo: number): Promise<AttemptReport> {
    if (this.#claimed.has(attemptNo)) return report({ status: 'unknown' });
    this.#claimed.add(attemptNo);
    await this.#arrive();
    const now = await env.currentTimeMs();
    if (now >= this.#expiresAtMs) return report({ status: 'notStarted', recorded: false });
    for (const [earlier, charge] of this.charges) {
      if (charge !== 'declined' && charge !== 'voided') {
        this.broken.push(`attempt ${attemptNo} began while attempt ${earlier} was ${charge}`);
      }
    }
    if (this.#mayArrive) this.broken.push(`attempt ${attemptNo} began while another was on its way`);
    const dice = this.#dice();
    const charge: Charge = dice < 0.35 ? 'captured' : dice < 0.75 ? 'declined' : 'requires_action';
    const trouble = this.rough ? this.#dice() : 1;
    if (trouble < 0.2) {
      this.#late.push({ attemptNo, charge, atMs: now + this.#dice() * 8_000 });
      throw new Error('no answer in time');
    }
    this.charges.set(attemptNo, charge);
    if (trouble < 0.35) throw new Error('the answer is lost');
    return trouble < 0.5 ? report({ status: 'unknown' }) : this.#reportOf(attemptNo);
  }

  async confirm(attemptNo: number): Promise<AttemptReport> {
    return this.#roughly(() => {
      if (this.charges.get(attemptNo) === 'requires_action') {
        this.charges.set(attemptNo, this.chance(0.5) ? 'captured' : 'declined');
      }
      return this.#reportOf(attemptNo);
    });
  }

  async resolve(attemptNo: number, close: boolean): Promise<AttemptReport> {
    await this.#arrive();
    return this.#roughly(() => {
      const charge = this.charges.get(attemptNo);
      // Not found proves nothing while the request may still arrive, so the key is closed first.
      if (!charge || (close && charge === 'requires_action')) this.charges.set(attemptNo, 'voided');
      return this.#reportOf(attemptNo);
    });
  }

  /** Like `commitTransition`: committing the same number twice is one change. */
  commit(transition: Transition): Promise<Committed> {
    return this.#roughly(() => {
      if (transition.seq > (this.latest?.seq ?? 0)) this.transitions.push(transition);
      return { revokeCapture: false };
    });
  }

  /** Returns the faults after the payment has ended. */
  judge(): string[] {
    const captured = [...this.charges.values()].filter((charge) => charge === 'captured').length;
    const open = [...this.charges.values()].filter((charge) => charge === 'requires_action').length;
    const found = [...this.broken];
    if (captured > 1) found.push(`${captured} captured charges`);
    if (open > 0 || this.#mayArrive) found.push('a charge is still open at the network');
    if ((this.latest?.paymentStatus === 'paid') !== captured > 0) {
      found.push(`${this.latest?.paymentStatus}, ${captured} captured`);
    }
    if (!this.latest?.final) found.push('not final in the rows');
    return found;
  }
}

interface Running {
  seed: number;
  payment: RoughPayment;
  handle: WorkflowHandle<typeof paymentWorkflow>;
}

it('16 payments whose activities fail before and after their effect: each is resolved, none is charged twice', async () => {
  const prefix = `${randomUUID()}-`;
  const payments = new Map<string, RoughPayment>();
  const of = (paymentId: string): RoughPayment => {
    const found = payments.get(paymentId);
    if (!found) throw new Error('no such payment');
    return found;
  };
  const provider: AttemptActivities & CaptureActivities = {
    revokeCapture: ({ paymentId }) => of(paymentId).revokeCapture(),
    endCapture: ({ paymentId }) => of(paymentId).endCapture(),
    authorize: ({ paymentId, attemptNo }) => of(paymentId).authorize(attemptNo),
    awaitAttempt: () => Promise.reject(new Error('no call is left running here')),
    confirmAttempt: ({ paymentId, attemptNo }) => of(paymentId).confirm(attemptNo),
    resolveAttempt: ({ paymentId, attemptNo, close }) => of(paymentId).resolve(attemptNo, close),
  };
  const rows: TransitionActivities = {
    commitTransition: (transition) => of(transition.paymentId).commit(transition),
    markUnknown: () => Promise.resolve(),
    resumePayment: () => Promise.reject(new Error('no run is lost here')),
  };
  const now = await env.currentTimeMs();
  const running: Running[] = await Promise.all(
    seeds.map(async (seed) => {
      const start = startOf(prefix, now);
      const payment = new RoughPayment(seed, now + 30 * minute);
      payments.set(start.args[0].paymentId, payment);
      const handle = await env.client.workflow.start<typeof paymentWorkflow>('paymentWorkflow', start);
      return { seed, payment, handle };
    }),
  );
  const code = await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  const dataConverter = { failureConverter } as never;
  const common = { connection: env.nativeConnection, dataConverter };
  const workers = await Promise.all([
    Worker.create({
      ...common,
      workflowBundle: { code },
      taskQueue: `${prefix}payments`,
      activities: { ...rows, ...provider },
    }),
    Worker.create({ ...common, taskQueue: `${prefix}provider`, activities: provider }),
  ]);
  const [first, second] = workers;

  await first.runUntil(
    second.runUntil(async () => {
      // Nine rounds in half an hour. A customer with a step completes it, and a customer who may pay pays.
      for (let round = 0; round < 9; round += 1) {
        const calls = running.map((each) => act(each, round));
        await env.sleep((1 + (round % 3) * 2.4) * minute);
        await Promise.all(calls);
      }
      for (const { payment } of running) payment.rough = false;
      await env.sleep(10 * minute);
      // One after the other, because each wait starts the server's time and stops it again.
      for (const { handle } of running) await handle.result();
    }),
  );

  const judged = running.map(({ seed, payment }) => ({ seed, broken: payment.judge() }));
  expect(judged.filter(({ broken }) => broken.length > 0)).toEqual([]);
  // The schedules must have produced every kind of outcome.
  const all = running.flatMap(({ payment }) => [...payment.charges.values()]);
  expect(new Set(all)).toEqual(new Set(['captured', 'declined', 'voided']));
});

/** The number of the last reservation. The API reserves each attempt first. */
let reservations = 0;

/** Acts as a customer on the current checkout. Refusals are expected. */
async function act({ payment, handle }: Running, round: number): Promise<void> {
  const seen =
    round === 0
      ? ({ status: 'open' } as const) // Nothing has run yet that could answer.
      : await handle.query<CheckoutSnapshot>('status').catch(() => null);
  const call = (name: string): Promise<unknown> =>
    refusalOf(
      handle.executeUpdate<unknown, [object]>(name, {
        args: [{ attemptNo: (reservations += 1), method: 'card' }],
      }),
    ).catch(() => 'over');
  if (seen === null || seen.status === 'paid' || seen.status === 'expired') return;
  if (seen.status === 'requiresAction') {
    if (payment.chance(0.7)) await call('confirm');
    else if (payment.chance(0.5)) await call('abandonAction');
    return;
  }
  // Two concurrent pays, one of which finds the fence taken.
  await Promise.all(payment.chance(0.3) ? [call('pay'), call('pay')] : [call('pay')]);
}
