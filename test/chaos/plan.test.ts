import { planOf } from './plan.mjs';
import { plant } from '../simulation/mutants.mjs';

it('a seed makes the same schedule each time, another seed another', () => {
  expect(planOf(42)).toEqual(planOf(42));
  expect(planOf(43)).not.toEqual(planOf(42));
});

it('200 seeds hold every kind of trouble, and none holds no trouble', () => {
  const plans = Array.from({ length: 200 }, (_, index) => planOf(index + 1));
  const troubles = plans.map(({ actions, points, hops }) => [
    ...actions.map((action) => action.do),
    ...points.map(() => 'point'),
    ...Object.values(hops).flatMap(({ modes }) => modes),
  ]);
  expect(troubles.filter((each) => each.length === 0)).toEqual([]);
  expect([...new Set(troubles.flat())].toSorted()).toEqual(
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

it('a planted bug whose place is gone, or is there twice, is an error and not a silent pass', () => {
  expect(() => plant('a b', { name: 'x', find: 'c', put: 'd' })).toThrow('occurs 0 times');
  expect(() => plant('a a', { name: 'x', find: 'a', put: 'd' })).toThrow('occurs 2 times');
});
