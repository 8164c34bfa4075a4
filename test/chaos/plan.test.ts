import { planOf } from './plan.ts';

it('a seed makes the same schedule each time, another seed another', () => {
  expect(planOf(42)).toEqual(planOf(42));
  expect(planOf(43)).not.toEqual(planOf(42));
});

it('200 seeds hold every kind of fault, and none holds no fault', () => {
  const plans = Array.from({ length: 200 }, (_, index) => planOf(index + 1));
  const faults = plans.map(({ actions, points, hops }) => [
    ...actions.map((action) => action.do),
    ...points.map(() => 'point'),
    ...Object.values(hops).flatMap(({ modes }) => modes),
  ]);
  expect(faults.filter((each) => each.length === 0)).toEqual([]);
  expect([...new Set(faults.flat())].toSorted()).toEqual(
    [
      'cut',
      'cutPostgres',
      'delay',
      'duplicate',
      'executeThenDrop',
      'freeze',
      'hold',
      'kill',
      'point',
      'reset',
    ].toSorted(),
  );
});
