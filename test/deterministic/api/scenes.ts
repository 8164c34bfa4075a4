import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientPlan } from '../../chaos/plan.ts';
import { Random } from '../../support/harness/random.ts';
import { captureAtTheEnd } from './capture-race.ts';
import { type ApiContext, Caller } from './caller.ts';
import { confirmSteps } from './confirming-client.ts';
import { decideMeanwhile } from './decided-meanwhile.ts';
import { deskOfDisputes } from './dispute-desk.ts';
import { disputeAtOnce } from './early-disputes.ts';
import { loseAttempt } from './lost-attempt.ts';
import { redeliverAtOnce } from './redelivering-client.ts';
import { payByWallet, refundInBothPlaces } from './stripe-clients.ts';
import { readEverything } from './reading-client.ts';
import { createRefused } from './refused-creations.ts';
import { playSandbox } from './sandbox-client.ts';
import { testCards } from './tester-client.ts';
import { waitThroughDeploy } from './waiting-client.ts';
import { payWithWrongCard } from './wrong-card.ts';

/** What one client does that the others rarely do. */
interface Scene {
  plays: (caller: Caller, plan: ClientPlan) => Promise<void>;
  /** The networks at which it can be played. */
  at: 'simulators' | 'stripe' | 'any';
  /** Whether it needs a seed whose rows go back: others lose runs too, and nothing would know the charge. */
  needsPutBack?: true;
  /** The share of the seeds that play it, and how often at most. */
  share: number;
  times: number;
}

const scenes: readonly Scene[] = [
  { plays: deskOfDisputes, at: 'simulators', share: 0.9, times: 6 },
  { plays: confirmSteps, at: 'simulators', share: 0.6, times: 4 },
  { plays: captureAtTheEnd, at: 'simulators', share: 0.4, times: 2 },
  { plays: disputeAtOnce, at: 'simulators', share: 0.5, times: 2 },
  { plays: decideMeanwhile, at: 'simulators', share: 0.6, times: 3 },
  { plays: loseAttempt, at: 'simulators', needsPutBack: true, share: 0.8, times: 3 },
  { plays: playSandbox, at: 'simulators', share: 0.6, times: 2 },
  { plays: readEverything, at: 'any', share: 0.5, times: 1 },
  { plays: createRefused, at: 'any', share: 0.4, times: 1 },
  { plays: payByWallet, at: 'stripe', share: 0.9, times: 3 },
  { plays: payWithWrongCard, at: 'any', share: 0.5, times: 1 },
  { plays: testCards, at: 'any', share: 0.5, times: 1 },
  { plays: refundInBothPlaces, at: 'stripe', share: 0.8, times: 3 },
  { plays: redeliverAtOnce, at: 'simulators', share: 0.8, times: 2 },
  { plays: waitThroughDeploy, at: 'any', share: 0.3, times: 1 },
];

/** The latest start of a scene, in ms from the beginning, and the first number of its client. */
const latestStartMs = 4_000;
const firstIndex = 500;

/** Plays the scenes of a seed. `plans`: whose amounts they use. `isPutBack`: whether rows go back in it. */
export async function playScenes(
  seed: number,
  context: ApiContext,
  { plans, isPutBack }: { plans: readonly ClientPlan[]; isPutBack: boolean },
): Promise<void> {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x165667b1);
  const { world } = context;
  const here = world.provider.network === 'stripe' ? 'stripe' : 'simulators';
  const drawn = scenes.flatMap(({ plays, at, needsPutBack = false, share, times }) => {
    const count = random.chance(share) ? random.between(1, times) : 0;
    const seeds = Array.from({ length: count }, () => random.between(1, 2 ** 31));
    const isPlayed = (at === 'any' || at === here) && (isPutBack || !needsPutBack);
    return isPlayed ? seeds.map((own) => ({ plays, own })) : [];
  });
  await Promise.all(
    drawn.map(async ({ plays, own }, index) => {
      const caller = new Caller(context, world.otherShop, new Random(own), firstIndex + index);
      await sleep(caller.random.between(0, latestStartMs));
      await plays(caller, { ...caller.random.pick(plans), index: caller.index });
    }),
  );
}
