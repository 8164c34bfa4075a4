import {
  months,
  type Partition,
  periodsCovered,
  planPartitions,
} from '../../../src/db/server/partition-plan.ts';

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

const month = (start: string, next: string): Partition => ({ name: start, from: day(start), to: day(next) });
const winter = [
  month('2029-12-01', '2030-01-01'),
  month('2030-01-01', '2030-02-01'),
  month('2030-02-01', '2030-03-01'),
];

it('makes the months that lack a partition, over the end of a year and a short month', () => {
  expect(planPartitions([], day('2029-11-30'), 90, months).create).toEqual([
    '2029-11-01',
    '2029-12-01',
    '2030-01-01',
    '2030-02-01',
  ]);
  expect(planPartitions(winter, day('2029-12-31'), 90, months).create).toEqual(['2030-03-01']);
  expect(planPartitions(winter, at, 90, months).create).toEqual(['2030-03-01', '2030-04-01', '2030-05-01']);
});

it('drops a month when its last event is past the retention', () => {
  expect(planPartitions(winter, day('2030-01-01', 90), 90, months).drop).toEqual(['2029-12-01']);
  expect(planPartitions(winter, new Date(day('2030-01-01', 90).getTime() - 1), 90, months).drop).toEqual([]);
  expect(periodsCovered(winter, day('2029-12-31'), months)).toBe(2);
});

it('counts the days ahead up to the first gap', () => {
  expect(periodsCovered([first('2030-03-02')], at)).toBe(2);
  expect(periodsCovered(['2030-02-28', '2030-03-02'].map(of), at)).toBe(1);
  expect(periodsCovered([], at)).toBe(0);
});
