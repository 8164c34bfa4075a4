import {
  dayStart,
  isoDay,
  isTimeZone,
  nextDay,
  usableZone,
  zonedInstant,
  zoneOffset,
} from '../../../src/dashboard/parts/days.ts';
import { instant, shortInstant } from '../../../src/dashboard/parts/format.ts';

describe('a time zone', () => {
  it.each(['UTC', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Etc/GMT+3', 'EST', 'Japan'])(
    'is known: %s',
    (zone) => {
      expect(isTimeZone(zone)).toBe(true);
    },
  );
  it.each(['', 'Mars/Olympus', 'America/', '-03:00', 'x'.repeat(100), '<script>'])(
    'is unknown: %s',
    (zone) => {
      expect(isTimeZone(zone)).toBe(false);
    },
  );
  it.each(['MIT', 'ist', 'SystemV/PST8', 'US/Pacific-New'])(
    'is unknown if only Node has its name, and PostgreSQL does not: %s',
    (zone) => {
      expect(isTimeZone(zone)).toBe(false);
    },
  );
});

it.each([
  ['America/Sao_Paulo', 'America/Sao_Paulo'],
  ['Mars/Olympus', 'UTC'],
  ['MIT', 'UTC'],
  ['constructor', 'UTC'],
  [undefined, 'UTC'],
])('the stored time zone %s is shown as %s', (stored, shown) => {
  expect(usableZone(stored)).toBe(shown);
});

describe('a day of a zone', () => {
  it.each([
    ['2026-03-10', 'UTC', '2026-03-10T00:00:00.000Z'],
    ['2026-03-10', 'America/Sao_Paulo', '2026-03-10T03:00:00.000Z'],
    ['2026-01-05', 'Asia/Kathmandu', '2026-01-04T18:15:00.000Z'],
    // The days after the nights in which clocks went forward or back.
    ['2026-03-08', 'America/New_York', '2026-03-08T05:00:00.000Z'],
    ['2026-03-09', 'America/New_York', '2026-03-09T04:00:00.000Z'],
    ['2026-11-02', 'America/New_York', '2026-11-02T05:00:00.000Z'],
    ['0001-01-01', 'UTC', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31', 'America/Sao_Paulo', '9999-12-31T03:00:00.000Z'],
  ])('%s in %s begins at %s', (day, zone, start) => {
    expect(dayStart(day, zone).toISOString()).toBe(start);
  });

  it('is followed by the next one, also over months and years', () => {
    expect(['2026-02-28', '2028-02-28', '2026-12-31', '9999-12-31'].map(nextDay)).toEqual([
      '2026-03-01',
      '2028-02-29',
      '2027-01-01',
      '9999-12-31',
    ]);
  });

  it('is not read from any other text', () => {
    expect(['2026-02-30', '2026-2-3', '', 'yesterday'].map(isoDay)).toEqual(['', '', '', '']);
    expect(zonedInstant('2026-02-30T10:00', 'UTC')).toBeNull();
    expect(zonedInstant('2026-03-10', 'UTC')).toBeNull();
  });
});

describe('an instant', () => {
  const at = new Date('2026-03-10T02:30:15Z');
  it('is written in its zone, with its year only when it is not the current year', () => {
    expect(instant(at, 'America/Sao_Paulo', true)).toBe('9 Mar 2026, 23:30:15');
    expect(shortInstant(at, 'UTC', at.getTime())).toBe('10 Mar, 02:30');
    expect(shortInstant(at, 'UTC', Date.parse('2027-01-01T00:00:00Z'))).toBe('10 Mar 2026, 02:30');
  });
});

describe('the offset of a zone', () => {
  it.each([
    ['UTC', 'UTC'],
    ['America/Sao_Paulo', 'GMT-3'],
    ['Asia/Kathmandu', 'GMT+5:45'],
    ['America/New_York', 'GMT-5/-4'],
    ['Europe/London', 'GMT/+1'],
    ['Pacific/Auckland', 'GMT+13/+12'],
  ])('of %s is written as %s', (zone, offset) => {
    expect(zoneOffset(zone, Date.UTC(2026, 2, 14))).toBe(offset);
  });
});
