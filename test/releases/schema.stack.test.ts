import { readFileSync } from 'node:fs';
import { openDatabase } from '../../src/db/server/database.ts';
import { describeSchema } from '../support/schema-description.ts';
import { cloneDatabase } from '../support/world.ts';

/** The schema that the 39 migrations before 0.1.0 made, as `describeSchema` returns it. */
const before = readFileSync(new URL('schema-before-squash.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

it('the migrations make the schema that the 39 migrations before the first release made', async () => {
  const database = openDatabase({ url: await cloneDatabase(), poolSize: 1, applicationName: 'test' });
  try {
    expect(await describeSchema(database)).toEqual(before);
  } finally {
    await database.end();
  }
});
