import { faultKinds } from './change-plan.ts';
import { challengePoint } from './names.ts';
import { planOf, planOfFault } from './plan.ts';

it('the same seed gives the same schedule, another seed another one', () => {
  expect(planOf(42)).toEqual(planOf(42));
  expect(planOf(43)).not.toEqual(planOf(42));
});

it('200 seeds contain every kind of fault, and each at least one', () => {
  const plans = Array.from({ length: 200 }, (_, index) => planOf(index + 1));
  const faults = plans.map(({ actions, points, hops }) => [
    ...actions.map((action) => action.do),
    ...points.map(({ point }) => (point === challengePoint ? point : 'point')),
    ...Object.values(hops).flatMap(({ modes }) => modes),
  ]);
  expect(faults.filter((each) => each.length === 0)).toEqual([]);
  expect([...new Set(faults.flat())].toSorted()).toEqual(
    [
      challengePoint,
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

it('200 seeds contain every kind of change, and schedules without one', () => {
  const changes = Array.from({ length: 200 }, (_, index) => planOf(index + 1).change?.kind ?? 'none');
  expect([...new Set(changes)].toSorted()).toEqual([...faultKinds, 'none'].toSorted());
  expect(changes.filter((kind) => kind === 'frozen-leader').length).toBeLessThan(20);
});

it('the 25 schedules of every commit contain every kind of change, and one freeze of a leader', () => {
  const changes = Array.from({ length: 25 }, (_, index) => planOf(index + 1).change?.kind ?? 'none');
  expect([...new Set(changes)].toSorted()).toEqual([...faultKinds, 'none'].toSorted());
  expect(changes.filter((kind) => kind === 'frozen-leader')).toHaveLength(1);
});

it.each(faultKinds)('a forced schedule has the change %s and no other fault', (kind) => {
  const plan = planOfFault(7, kind, 5_000);
  expect(plan).toEqual(planOfFault(7, kind, 5_000));
  expect(plan.change).toMatchObject({ kind });
  expect(plan.clients.length).toBeLessThan(6);
  expect([...plan.actions, ...plan.points, ...plan.hints, ...plan.calls]).toEqual([]);
});

it('200 seeds inject every fault of webhooks and of calls that the Stripe pair has', () => {
  const plans = Array.from({ length: 200 }, (_, index) => planOf(index + 1));
  const hints = new Set(plans.flatMap((plan) => plan.hints.map(({ mode }) => mode)));
  expect([...hints].toSorted()).toEqual(['doubled', 'forged', 'late', 'lost', 'reordered', 'replayed']);
  const calls = new Set(plans.flatMap((plan) => plan.calls.map(({ mode, on }) => `${mode} ${on}`)));
  // Money moved and no answer arrived, so only the look-up finds the charge.
  expect([...calls]).toContain('noAnswer payment_intents.confirm');
  expect(calls.size).toBe(7 * 6);
});
