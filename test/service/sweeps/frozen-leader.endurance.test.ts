import { processRoles } from '../../../src/db/server/privileges.ts';
import { type ServiceProcess, startWorkerProcess } from '../../support/service-process.ts';
import { eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
const processes: ServiceProcess[] = [];
beforeEach(async () => {
  world = await createWorld({ SWEEP_SECONDS: '1' }, { worker: false });
  // Each folded change notes the database user of the process that folded it.
  await world.database.query(
    `CREATE TABLE folded (by text NOT NULL);
     CREATE FUNCTION note_folded() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
     BEGIN INSERT INTO folded VALUES (session_user); RETURN NULL; END $$;
     CREATE TRIGGER note_folded AFTER DELETE ON list_changes FOR EACH ROW EXECUTE FUNCTION note_folded()`,
  );
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((one) => one.kill()));
  await world.close();
});

/** The URL of the world's database for the worker's own user. */
function urlOfWorkerUser(): string {
  const url = new URL(world.settings.DATABASE_URL);
  url.username = processRoles.worker;
  url.password = process.env['TEST_DATABASE_ROLES_PASSWORD'] ?? '';
  return url.toString();
}

async function start(changes: Record<string, string>): Promise<ServiceProcess> {
  const started = await startWorkerProcess(world, { WORKER_ROLES: 'payments', ...changes });
  processes.push(started);
  return started;
}

/** Gives the sweeps a change to fold; returns the user of the process that folded it. */
async function folded(merchantId: string): Promise<string> {
  await world.database.query('DELETE FROM folded');
  await world.database.query(
    `INSERT INTO list_changes (list, merchant_id, environment, status, created_s, change)
     VALUES ('payments', $1, 'sandbox', 'pending', 1, 1)`,
    [merchantId],
  );
  return eventually(
    async () => (await world.database.query<{ by: string }>('SELECT by FROM folded')).rows[0]?.by,
    60_000,
  );
}
const noted = async () =>
  (await world.database.query<{ leader: string; term: number }>('SELECT leader, term FROM sweep_leaders'))
    .rows[0];

it('a leader that hangs is followed by another, and leads nothing when it goes on', async () => {
  const merchantId = await world.merchant();
  const owner = new URL(world.settings.DATABASE_URL).username;
  const first = await start({ DATABASE_URL: urlOfWorkerUser() });
  expect(await folded(merchantId)).toBe(processRoles.worker);
  const second = await start({});
  const before = await noted();
  first.freeze();
  expect(await folded(merchantId)).toBe(owner);
  const after = await eventually(async () => {
    const found = await noted();
    return found?.leader.endsWith(`:${second.pid}`) ? found : undefined;
  });
  expect(after.term).toBeGreaterThan(before?.term ?? Infinity);
  first.thaw();
  for (let turn = 0; turn < 5; turn += 1) expect(await folded(merchantId)).toBe(owner);
  expect(await noted()).toEqual(after);
  // It is a follower again: it leads once the second is gone.
  await second.stop();
  expect(await folded(merchantId)).toBe(processRoles.worker);
  expect((await noted())?.term).toBeGreaterThan(after.term);
});
