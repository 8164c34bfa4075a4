import { type Decisions, loadDecisions } from './decisions.ts';
import { decisionMutants } from './mutants.ts';
import { runSeeds } from './run-seeds.ts';

let decisions: Decisions;
beforeAll(async () => {
  decisions = await loadDecisions(null);
});

describe('the decisions of a payment under a simulated clock, network and store', () => {
  it('10,000 seeds of lost, doubled and late messages, dead workers and lost runs break no invariant', () => {
    const { seeds, violations } = runSeeds(decisions, { first: 1, count: 10_000 });
    expect({ seeds, violations }).toEqual({ seeds: 10_000, violations: [] });
  });

  it('the same seed gives the same run twice', () => {
    const once = runSeeds(decisions, { first: 7, count: 50 });
    const twice = runSeeds(decisions, { first: 7, count: 50 });
    expect([twice.steps, twice.simulatedMs]).toEqual([once.steps, once.simulatedMs]);
  });

  it.each(decisionMutants.map((mutant) => [mutant.name, mutant] as const))(
    'a mutant is caught within 20,000 seeds: %s',
    async (_name, mutant) => {
      const { violations } = runSeeds(await loadDecisions(mutant), {
        first: 1,
        count: 20_000,
        onlyUntilFirst: true,
      });
      expect(violations).toHaveLength(1);
    },
  );
});
