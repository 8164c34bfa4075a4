import { describePair, pairs } from './pairs.ts';
import { clusterFaultKinds, clusterPlanOf, isFailover } from './plan.ts';

const plans = Array.from({ length: 1_000 }, (_, seed) => clusterPlanOf(seed));

it('draws the same schedule for the same seed', () => {
  expect(clusterPlanOf(7)).toEqual(clusterPlanOf(7));
  expect(clusterPlanOf(7)).not.toEqual(clusterPlanOf(8));
});

it('draws every kind of fault within a hundred seeds, and one to three in each', () => {
  const kinds = new Set(plans.slice(0, 100).flatMap(({ faults }) => faults.map(({ kind }) => kind)));
  expect([...kinds].toSorted()).toEqual([...clusterFaultKinds].toSorted());
  for (const { faults } of plans) {
    expect(faults.length).toBeGreaterThanOrEqual(1);
    expect(faults.length).toBeLessThanOrEqual(3);
  }
});

it('cuts off every pair of processes within a thousand seeds', () => {
  const cut = plans.flatMap(({ faults }) =>
    faults.flatMap((fault) => (fault.kind === 'partition' ? [describePair(fault.pair)] : [])),
  );
  expect(new Set(cut).size).toBe(pairs.length);
});

it('keeps Temporal away for ten minutes now and then', () => {
  const absences = plans.flatMap(({ faults }) => faults.filter(({ kind }) => kind === 'temporal-away'));
  const long = absences.filter(({ forMs }) => forMs === 600_000);
  expect(long.length).toBeGreaterThan(0);
  expect(long.length).toBeLessThan(absences.length / 2);
});

it('makes only the kind that is asked for', () => {
  for (const kind of clusterFaultKinds) {
    for (const seed of [1, 9, 10]) {
      expect(clusterPlanOf(seed, kind).faults.map((fault) => fault.kind)).toEqual([kind]);
      expect(isFailover(seed, kind)).toBe(kind === 'failover');
    }
  }
});

it('gives a failover a schedule of its own', () => {
  const seeds = plans.filter(({ seed }) => isFailover(seed));
  expect(seeds).toHaveLength(plans.length / 10);
  for (const { faults } of seeds) expect(faults.map(({ kind }) => kind)).toEqual(['failover']);
  const others = plans.filter(({ seed }) => !isFailover(seed)).flatMap(({ faults }) => faults);
  expect(others.map(({ kind }) => kind)).not.toContain('failover');
});
