import { createStatusWatch } from '../../../src/operations/payments/status-watch.ts';
import { eventually } from '../../support/shop.ts';

/** Returns versions in a table, and counts the polls. */
function table() {
  const versions = new Map<string, number>();
  const polls: string[][] = [];
  const state = { away: false };
  const watch = createStatusWatch({
    versionsOf: async (ids) => {
      polls.push(ids);
      if (state.away) throw new Error('away');
      return ids.map((id) => ({ id, version: versions.get(id) ?? 0 }));
    },
    onError: () => undefined,
  });
  return { versions, polls, watch, state };
}
const stays = new AbortController().signal;
const minute = 60_000;

/** Returns a wait, and whether it is over. */
function noting(wait: Promise<void>): { over: boolean; wait: Promise<void> } {
  const noted = { over: false, wait };
  void wait.then(() => {
    noted.over = true;
  });
  return noted;
}
/** Waits for two more polls. The second one reads everything that was there before. */
const twoMore = async (polls: unknown[]): Promise<void> => {
  const before = polls.length;
  await eventually(async () => (polls.length >= before + 2 ? true : undefined));
};

it('one statement polls all waiting calls, and only those with a change return', async () => {
  const { watch, versions, polls } = table();
  const a = noting(watch.changed('a', 0, minute, stays));
  const b = noting(watch.changed('b', 0, minute, stays));
  const again = watch.changed('a', 0, minute, stays);
  await twoMore(polls);
  expect([a.over, b.over]).toEqual([false, false]);
  for (const ids of polls) expect(ids).toEqual(['a', 'b']);
  versions.set('a', 1);
  await Promise.all([a.wait, again]);
  expect([b.over, watch.waiting]).toEqual([false, 1]);
  watch.stop();
});

it('the first poll finds a change between the read and the wait', async () => {
  const { watch, versions, polls } = table();
  versions.set('a', 7);
  await watch.changed('a', 6, minute, stays);
  expect(polls).toHaveLength(1);
});

it('polls only while calls wait, and forgets calls that waited too long or are gone', async () => {
  const { watch, polls } = table();
  const gone = new AbortController();
  const left = watch.changed('b', 0, minute, gone.signal);
  gone.abort();
  await left;
  await watch.changed('a', 0, 120, stays);
  expect(watch.waiting).toBe(0);
  // Only the next one is polled.
  const seen = polls.length;
  await watch.changed('c', 0, 120, stays);
  for (const ids of polls.slice(seen + 1)) expect(ids).toEqual(['c']);
});

it('an unavailable database counts as no change, and is polled again', async () => {
  const { watch, versions, state, polls } = table();
  state.away = true;
  versions.set('a', 1);
  const waits = noting(watch.changed('a', 0, minute, stays));
  await twoMore(polls);
  expect(waits.over).toBe(false);
  state.away = false;
  await waits.wait;
});

it('a stop ends all waits, and later ones at once', async () => {
  const { watch, polls } = table();
  const waits = [watch.changed('a', 0, minute, stays), watch.changed('b', 0, minute, stays)];
  watch.stop();
  await Promise.all(waits);
  await watch.changed('c', 0, minute, stays);
  expect([watch.waiting, polls.length]).toEqual([0, 0]);
});
