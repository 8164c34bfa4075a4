import type { Database } from '../../../src/db/server/database.ts';
import { pollEachConnector } from '../../../src/sweeps/poll-connectors.ts';

const minute = 60_000;

/** Connectors in pages of a hundred, and how often they were asked for. */
function database(connectors: number) {
  const ids = Array.from({ length: connectors }, (_, index) => `connector ${String(index).padStart(4, '0')}`);
  const asked = { pages: 0 };
  const query = async (_text: string, values: readonly unknown[]) => {
    asked.pages += 1;
    const after =
      values.filter((value) => typeof value === 'string').find((text) => ids.includes(text)) ?? '';
    const rows = ids.filter((id) => id > after).slice(0, 100);
    return { rows: rows.map((id) => ({ id })), rowCount: rows.length };
  };
  return { asked, database: { query } as unknown as Database };
}

const going = () => true;

it('one that does not answer keeps none of the others waiting', async () => {
  const heard: string[] = [];
  let answer = (): void => undefined;
  const silent = new Promise<void>((resolve) => (answer = resolve));
  const hear = pollEachConnector({
    what: 'refunds',
    database: database(5).database,
    now: () => minute,
    hear: async ({ id }) => {
      if (id.endsWith('0000')) await silent;
      else if (heard.push(id) === 4) answer();
    },
  });
  await hear(going);
  expect(heard).toHaveLength(4);
});

it('all are heard though one fails, and the run says so', async () => {
  const heard: string[] = [];
  const hear = pollEachConnector({
    what: 'refunds',
    database: database(250).database,
    now: () => minute,
    hear: async ({ id }) => {
      heard.push(id);
      if (id.endsWith('7')) throw new Error('away');
    },
  });
  await expect(hear(going)).rejects.toThrow('25 connectors do not tell their refunds');
  expect(new Set(heard).size).toBe(250);
});

it('between two turns, a minute apart, nothing is read', async () => {
  const { asked, database: connectors } = database(3);
  let now = minute;
  const heard: string[] = [];
  const hear = pollEachConnector({
    what: 'refunds',
    database: connectors,
    now: () => now,
    hear: async ({ id }) => void heard.push(id),
  });
  await hear(going);
  now += minute - 1;
  await hear(going);
  expect([asked.pages, heard.length]).toEqual([1, 3]);
  now += 1;
  await hear(going);
  expect([asked.pages, heard.length]).toEqual([2, 6]);
});
