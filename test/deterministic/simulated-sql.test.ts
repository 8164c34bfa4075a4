import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { simulatedFunctions, withoutRealTime } from './simulated-sql.ts';

const database = join(import.meta.dirname, '..', '..', 'src', 'db');
/** Everything in SQL that has another value at another time or in another run. */
const impure =
  /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|random_normal|gen_random_uuid)\(|\b(current_timestamp|current_date|current_time|localtimestamp|localtime)\b/gi;

it('replaces every function of time and chance that the SQL of the service calls', () => {
  const texts = readdirSync(database, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|sql)$/.test(name))
    .map((name) => readFileSync(join(database, name), 'utf8').replaceAll(/^ *(--|\/\/).*$/gm, ''));
  const used = new Set(texts.flatMap((text) => text.match(impure) ?? []).map((found) => found.toLowerCase()));
  expect(used).toContain('now(');
  const replaced = [...used].filter((call) => simulatedFunctions.includes(`CREATE FUNCTION ${call})`));
  expect(replaced.toSorted()).toEqual([...used].toSorted());
});

it('takes the timeouts out of a text, because the server would measure them by the real clock', () => {
  const found = new Map<string, number>();
  const sent = withoutRealTime('BEGIN; SET LOCAL statement_timeout = 5000', (name, ms) =>
    found.set(name, ms),
  );
  expect(sent).toBe('BEGIN; SET LOCAL statement_timeout = 0');
  expect([...found]).toEqual([['statement_timeout', 5000]]);
});
