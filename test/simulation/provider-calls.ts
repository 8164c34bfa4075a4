import type { Outcome } from '../../src/domain/checkout.ts';
import type { Charge } from './network.ts';
import { type World, expiresAtMs, secondMs } from './world.ts';

/**
 * Look-ups that find nothing before the key is closed: `lookupsBeforeVoid` of `src/activities/attempts.ts`.
 */
const lookupsBeforeVoid = 3;
const answerWithinMs = 8 * secondMs;
/** After this long without a heartbeat a run knows that its worker died. */
const heartbeatMs = 4 * secondMs;
/** A request may arrive long after its caller has given up. */
const lateByMs = 60 * secondMs;

type Report = (outcome: Outcome) => void;

/** Charges an attempt for run `run`: records it, sends it, answers once. Any step of it may fail. */
export function authorize(world: World, attemptNo: number, run: number, report: Report): void {
  const { random, clock, rows, network } = world;
  const answer = once(report);
  clock.after(world.latencyMs(), () => {
    // The worker dies before or after the record: the missing heartbeat informs the run.
    if (random.chance(world.death)) return clock.after(heartbeatMs, () => answer({ status: 'unknown' }));
    if (random.chance(0.03)) return answer({ status: 'tokenRejected' });
    if (random.chance(0.03)) return answer({ status: 'notStarted', recorded: false });
    if (rows.attempts.has(attemptNo)) return answer({ status: 'unknown' });
    if (rows.owner !== run || isOver(world)) return answer({ status: 'notStarted', recorded: false });
    rows.attempts.set(attemptNo, 'processing');
    rows.checkoutStatus = 'processing';
    rows.captureEnded = true;
    if (random.chance(0.03)) return answer({ status: 'notStarted', recorded: true });
    if (random.chance(world.death)) return clock.after(heartbeatMs, () => answer({ status: 'unknown' }));
    clock.after(answerWithinMs, () => answer({ status: 'unknown' }));
    const copies = random.chance(0.1) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      if (world.lost()) continue;
      clock.after(world.latencyMs() + (random.chance(0.1) ? lateByMs : 0), () => {
        const charge = network.charge(attemptNo);
        if (world.lost() || charge.status === 'pending') return;
        clock.after(world.latencyMs(), () => answer(outcomeOf(charge)));
      });
    }
  });
}

function isOver({ rows, clock }: World): boolean {
  return rows.checkoutStatus === 'paid' || rows.checkoutStatus === 'expired' || clock.nowMs >= expiresAtMs;
}

/** Confirms the customer's step at the network; answers once. */
export function confirm(world: World, attemptNo: number, report: Report): void {
  const { clock, network } = world;
  const answer = once(report);
  clock.after(answerWithinMs, () => answer({ status: 'unknown' }));
  if (world.lost()) return;
  clock.after(world.latencyMs(), () => {
    const charge = network.confirm(attemptNo);
    if (!world.lost()) clock.after(world.latencyMs(), () => answer(outcomeOf(charge)));
  });
}

/**
 * Queries the network until it answers, while `isWanted()`; with `close`, the attempt is voided meanwhile.
 */
export function resolve(
  world: World,
  attemptNo: number,
  { close, isWanted, report }: { close: boolean; isWanted: () => boolean; report: Report },
): void {
  const { clock, network } = world;
  let tries = 0;
  const query = (): void => {
    if (!isWanted()) return;
    tries += 1;
    clock.after(Math.min(30, 1.5 ** tries) * secondMs, query);
    if (world.lost()) return;
    let charge = close ? network.void(attemptNo) : network.lookup(attemptNo);
    if (!charge && tries >= lookupsBeforeVoid) charge = network.void(attemptNo);
    if (close && charge?.status === 'requires_action') charge = network.confirm(attemptNo);
    if (!charge || charge.status === 'pending' || world.lost()) return;
    if (close && charge.status === 'requires_action') return;
    const outcome = outcomeOf(charge);
    clock.after(world.latencyMs(), () => {
      if (isWanted()) report(outcome);
    });
  };
  clock.after(world.latencyMs(), query);
}

function once(report: Report): Report {
  let answered = false;
  return (outcome) => {
    if (!answered) report(outcome);
    answered = true;
  };
}

function outcomeOf({ status, failureCode }: Charge): Outcome {
  switch (status) {
    case 'captured':
      return { status: 'paid' };
    case 'declined':
    case 'failed':
      return { status, failureCode: failureCode ?? '', message: 'no' };
    case 'voided':
      return { status: 'voided' };
    case 'requires_action':
    case 'pending':
      return { status: 'requiresAction' };
  }
}
