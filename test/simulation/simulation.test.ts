import { type Decisions, decisionsWith, plantedInDecisions } from './mutants.mjs';
import { runSeeds } from './run.mjs';

let decisions: Decisions;
beforeAll(async () => {
  decisions = await decisionsWith(null);
});

describe('the decisions of a payment under a simulated clock, network and store', () => {
  it('10,000 seeds of lost, doubled and late messages, dead workers and lost runs break no invariant', () => {
    const { seeds, violations } = runSeeds(decisions, { first: 1, count: 10_000 });
    expect({ seeds, violations }).toEqual({ seeds: 10_000, violations: [] });
  });

  it('a seed plays the same way twice', () => {
    const once = runSeeds(decisions, { first: 7, count: 50 });
    const twice = runSeeds(decisions, { first: 7, count: 50 });
    expect([twice.steps, twice.simulatedMs]).toEqual([once.steps, once.simulatedMs]);
  });

  it.each(plantedInDecisions.map((mistake) => [mistake.name, mistake] as const))(
    'a planted mistake is caught within 20,000 seeds: %s',
    async (_name, mistake) => {
      const { violations } = runSeeds(await decisionsWith(mistake), {
        first: 1,
        count: 20_000,
        onlyFirst: true,
      });
      expect(violations).toHaveLength(1);
    },
  );
});
