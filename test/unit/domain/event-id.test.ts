import { eventIdAt, eventIdPattern, randomPart, timeOfEventId } from '../../../src/domain/event-id.ts';

const random = 'aB3dE6gH9'.slice(0, randomPart);
const idAt = (instant: string): string => eventIdAt(new Date(instant), random);

it.each([
  ['1970-01-01T00:00:00Z', 'evt_000000000000000aB3dE6gH9'],
  ['2030-01-31T23:59:59.999Z', 'evt_000001896134399aB3dE6gH9'],
  ['2286-11-20T17:46:40Z', 'evt_000009999999999aB3dE6gH9'],
  ['1969-12-31T23:59:59Z', 'evt_000000000000000aB3dE6gH9'],
])('the id of an event at %s is %s', (instant, id) => {
  expect(idAt(instant)).toBe(id);
  expect(id).toMatch(eventIdPattern);
});

it('ids sort by time in collations that know other letters than English', () => {
  const instants = Array.from({ length: 200 }, (_, n) => new Date(Date.UTC(2026, 0, 1 + n * 97)));
  const ids = instants.map((at, n) => eventIdAt(at, n % 2 === 0 ? 'zzzzzzzzz' : 'ch0000000'));
  for (const language of ['C', 'cs', 'da', 'et', 'hu', 'lt', 'sv']) {
    const inOrder =
      language === 'C'
        ? ids.toSorted()
        : ids.toSorted(new Intl.Collator(language, { numeric: false }).compare);
    expect(inOrder).toEqual(ids);
  }
});

it('an id shows its time to the second, and an id of an earlier build shows none', () => {
  expect(timeOfEventId(idAt('2030-01-31T12:00:00.750Z'))).toEqual(new Date('2030-01-31T12:00:00Z'));
  expect(timeOfEventId('evt_000001893456000')).toEqual(new Date('2030-01-01T00:00:00Z'));
  expect(timeOfEventId('evt_5g5SLmIUyUPNOjKUl2iEhwBJ')).toBeNull();
  expect(timeOfEventId('evt_00001')).toBeNull();
});
