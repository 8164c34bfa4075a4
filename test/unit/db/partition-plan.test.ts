import { daysCovered, planPartitions, type Partition } from '../../../src/db/server/partition-plan.ts';

const day = (date: string, days = 0): Date => new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000);
const of = (date: string): Partition => ({ name: date, from: day(date), to: day(date, 1) });
/** The original table, which holds all rows until a day. */
const first = (until: string): Partition => ({ name: 'first', from: null, to: day(until) });
const at = new Date('2030-02-27T23:59:59.999Z');

it.each([
  ['nothing exists', [], ['2030-02-27', '2030-02-28', '2030-03-01', '2030-03-02']],
  ['the first partition ends today', [first('2030-02-28')], ['2030-02-28', '2030-03-01', '2030-03-02']],
  ['the first partition holds days ahead', [first('2030-03-01')], ['2030-03-01', '2030-03-02', '2030-03-03']],
  ['a day is missing', ['2030-02-27', '2030-02-28', '2030-03-02'].map(of), ['2030-03-01']],
  ['three days are ahead', ['2030-02-27', '2030-02-28', '2030-03-01', '2030-03-02'].map(of), []],
  ['today is missing', ['2030-02-28', '2030-03-01', '2030-03-02'].map(of), ['2030-02-27']],
])('makes the days that lack a partition: %s', (_case, partitions, create) => {
  expect(planPartitions(partitions, at, 7)).toEqual({ create, drop: [] });
});

it('drops the partitions whose youngest row is past the retention, and no other', () => {
  const partitions = [first('2030-02-19'), of('2030-02-19'), of('2030-02-20'), of('2030-02-21')];
  expect(planPartitions(partitions, day('2030-02-28'), 7).drop).toEqual([
    'first',
    '2030-02-19',
    '2030-02-20',
  ]);
  expect(planPartitions(partitions, at, 7).drop).toEqual(['first', '2030-02-19']);
});

it('counts the days ahead up to the first gap', () => {
  expect(daysCovered([first('2030-03-02')], at)).toBe(2);
  expect(daysCovered(['2030-02-28', '2030-03-02'].map(of), at)).toBe(1);
  expect(daysCovered([], at)).toBe(0);
});
