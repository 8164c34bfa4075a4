import pg from 'pg';
import { readServerFacts, refuseUser } from '../../../src/db/server/checks.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { grantPrivileges } from '../../../src/db/server/grant-privileges.ts';
import { type ProcessRole, knownTables, processRoles } from '../../../src/db/server/privileges.ts';
import { cloneDatabase } from '../../support/world.ts';

let ownerUrl: string;
let owner: Database;
const users = {} as Record<ProcessRole, Database>;

const open = (url: string): Database => openDatabase({ url, poolSize: 1, applicationName: 'test' });

beforeAll(async () => {
  ownerUrl = await cloneDatabase();
  owner = open(ownerUrl);
  for (const role of ['api', 'worker'] as const) {
    const url = new URL(ownerUrl);
    url.username = processRoles[role];
    url.password = process.env['TEST_DATABASE_ROLES_PASSWORD'] ?? '';
    users[role] = open(url.toString());
  }
});
afterAll(async () => {
  await Promise.all([owner.end(), users.api.end(), users.worker.end()]);
});

it('every table has a decision about its privileges', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition ORDER BY relname`,
  );
  expect(rows.map(({ name }) => name)).toEqual(knownTables.toSorted());
});

it.each(['api', 'worker'] as const)(
  'production accepts the role of the %s for it, and no other',
  async (role) => {
    const facts = await readServerFacts(users[role]);
    expect(refuseUser(facts, role, true)).toBeNull();
    const other = role === 'api' ? 'worker' : 'api';
    expect(refuseUser(facts, other, true)).toMatch(
      new RegExp(`^the database user ${processRoles[role]} may`),
    );
  },
);

it('production refuses the owner, development accepts it', async () => {
  const facts = await readServerFacts(owner);
  expect(refuseUser(facts, 'api', true)).toMatch(
    /may do more than the api needs .*connect as card_payments_api/,
  );
  expect(refuseUser(facts, 'api', false)).toBeNull();
});

it.each([
  ['api', 'DELETE FROM payments'],
  ['api', 'DELETE FROM events'],
  ['api', `UPDATE events SET type = 'payment.paid'`],
  ['api', 'INSERT INTO merchants DEFAULT VALUES'],
  ['api', 'SELECT * FROM key_rewraps'],
  ['api', 'DELETE FROM audit_entries'],
  ['api', 'UPDATE audit_entries SET actor_name = action'],
  ['api', 'CREATE TABLE loot (id int)'],
  ['api', 'ALTER TABLE payments DISABLE TRIGGER ALL'],
  ['api', 'SET ROLE card_payments_worker'],
  ['worker', 'SELECT * FROM api_keys'],
  ['worker', 'DELETE FROM attempts'],
  ['worker', 'INSERT INTO payments DEFAULT VALUES'],
  ['worker', 'DROP TABLE refunds'],
] as const)('the %s may not: %s', async (role, statement) => {
  await expect(users[role].query(statement)).rejects.toMatchObject({ code: '42501' });
});

it('granting again changes nothing, and revokes privileges that were granted by hand', async () => {
  const before = await readServerFacts(users.api);
  await owner.query(`GRANT DELETE ON payments TO ${processRoles.api}`);
  expect(refuseUser(await readServerFacts(users.api), 'api', true)).toContain('DELETE payments');
  expect(await grantPrivileges(ownerUrl)).toBeNull();
  expect((await readServerFacts(users.api)).privileges.toSorted()).toEqual(before.privileges.toSorted());
});

it('a user who may not create roles gets an error that names what an administrator must do', async () => {
  const url = new URL(ownerUrl);
  await owner.query("CREATE ROLE limited LOGIN PASSWORD 'other-password'").catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError) || error.code !== '42710') throw error;
  });
  url.username = 'limited';
  url.password = 'other-password';
  expect(await grantPrivileges(url.toString())).toMatch(
    /As an administrator: CREATE ROLE card_payments_api;/,
  );
});
