import { pollEachConnector } from '../../../src/sweeps/poll-connectors.ts';
import { databaseOf } from '../../support/partial.ts';

const minute = 60_000;

/** Returns a database with this many connectors, in pages of a hundred; `reads` counts the pages read. */
function database(connectors: number) {
  const ids = Array.from({ length: connectors }, (_, index) => `connector ${String(index).padStart(4, '0')}`);
  const reads = { pages: 0 };
  const query = async (_text: string, values: readonly unknown[]) => {
    reads.pages += 1;
    const after =
      values.filter((value) => typeof value === 'string').find((text) => ids.includes(text)) ?? '';
    const rows = ids.filter((id) => id > after).slice(0, 100);
    return { rows: rows.map((id) => ({ id })), rowCount: rows.length };
  };
  return { reads, database: databaseOf(query) };
}

const going = () => true;

it('a connector that does not answer does not block the others', async () => {
  const polled: string[] = [];
  let answer = (): void => undefined;
  const silent = new Promise<void>((resolve) => (answer = resolve));
  const pollAll = pollEachConnector({
    what: 'refunds',
    database: database(5).database,
    now: () => minute,
    poll: async ({ id }) => {
      if (id.endsWith('0000')) await silent;
      else if (polled.push(id) === 4) answer();
    },
  });
  await pollAll(going);
  expect(polled).toHaveLength(4);
});

it('polls every connector although some fail, and the run fails', async () => {
  const polled: string[] = [];
  const pollAll = pollEachConnector({
    what: 'refunds',
    database: database(250).database,
    now: () => minute,
    poll: async ({ id }) => {
      polled.push(id);
      if (id.endsWith('7')) throw new Error('unreachable');
    },
  });
  await expect(pollAll(going)).rejects.toThrow('25 connectors did not return their refunds');
  expect(new Set(polled).size).toBe(250);
});

it('polls at most once a minute', async () => {
  const { reads, database: connectors } = database(3);
  let now = minute;
  const polled: string[] = [];
  const pollAll = pollEachConnector({
    what: 'refunds',
    database: connectors,
    now: () => now,
    poll: async ({ id }) => void polled.push(id),
  });
  await pollAll(going);
  now += minute - 1;
  await pollAll(going);
  expect([reads.pages, polled.length]).toEqual([1, 3]);
  now += 1;
  await pollAll(going);
  expect([reads.pages, polled.length]).toEqual([2, 6]);
});
