import { InvariantChecker, type Violation } from './invariants.ts';
import type { Decisions } from './decisions.ts';
import { SimulatedWorkflow } from './workflow.ts';
import { World, captureEndsAtMs, expiresAtMs, healedAtMs, secondMs } from './world.ts';

/** Longest time after the last fault in which everything must be resolved. */
const patienceMs = 2 * 60 * secondMs;
const maxSteps = 5_000;

export interface Simulated {
  violations: Violation[];
  steps: number;
  simulatedMs: number;
}

/**
 * Plays one payment of a seed: the real decisions (`domain` is src/domain/checkout.ts) under a simulated
 * clock, network and store. Requests and answers are lost, doubled and late, workers die between any two
 * steps, runs are terminated and resumed from the rows. Returns what was broken, at most one step's worth,
 * and how far it went.
 */
export function simulate(domain: Decisions, seed: number): Simulated {
  const world = new World(seed);
  const { random, clock } = world;
  const checker = new InvariantChecker(world);
  const workflow = new SimulatedWorkflow(domain, world, checker);
  const acts = random.between(1, 24);
  const spreadMs = random.pick([30 * secondMs, captureEndsAtMs, expiresAtMs + 60 * secondMs]);
  for (let n = 0; n < acts; n += 1) clock.after(random.between(0, spreadMs), () => act(world, workflow));
  const steps = clock.play({
    untilMs: healedAtMs + patienceMs,
    maxSteps,
    stop: () => checker.violations.length > 0,
  });
  checker.ended(workflow.state, workflow.isFinal);
  return { violations: checker.violations, steps, simulatedMs: clock.nowMs };
}

/** One thing the client, the customer or an operator does. */
function act({ random, network, death }: World, workflow: SimulatedWorkflow): void {
  if (!workflow.isRunning) return;
  const kind = random.weighted([
    ['pay', 8],
    ['prepareCapture', 2],
    ['answerChallenge', 3],
    ['confirm', 3],
    ['abandonAction', 1],
    ['terminate', death * 10],
  ] as const);
  if (kind === 'answerChallenge') network.answerChallenge(random.chance(0.8));
  else workflow[kind]();
}
