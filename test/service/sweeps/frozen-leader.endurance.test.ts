import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { processRoles } from '../../../src/db/server/privileges.ts';
import { type ServiceProcess, startWorkerProcess } from '../../support/service-process.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
const processes: ServiceProcess[] = [];
beforeEach(async () => {
  world = await createWorld({ SWEEP_SECONDS: '1' }, { worker: false });
  // Each folded change records the database user of the process that folded it.
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

/** Returns the URL of the world's database for the worker's own user. */
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

/** Gives the sweeps a change to fold. Returns the user of the process that folded it. */
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

/** Waits until a process leads. Returns its row. */
const ledBy = ({ pid }: ServiceProcess) =>
  eventually(async () => {
    const found = await noted();
    return found?.leader.endsWith(`:${pid}`) ? found : undefined;
  }, 60_000);

/** Serves payment pages as missing. After `hold` the next page waits, and so does its reader. */
async function servePages() {
  let take: ((response: ServerResponse) => void) | null = null;
  const server = createServer((_request, response) => {
    if (take === null) return void response.writeHead(404).end();
    take(response);
    take = null;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // A failing test leaves the server open.
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: () =>
      new Promise<ServerResponse>((resolve) => {
        take = resolve;
      }),
    close: () => server.close(),
  };
}

it('a leader that hangs is followed by another, and leads and writes nothing when it goes on', async () => {
  const merchantId = await world.merchant();
  await new Shop(world.baseUrl, await world.key(merchantId, 'sandbox')).create();
  const pages = await servePages();
  const owner = new URL(world.settings.DATABASE_URL).username;
  const first = await start({
    DATABASE_URL: urlOfWorkerUser(),
    PUBLIC_URL: pages.url,
    PAGE_WATCH_SECONDS: '1',
  });
  expect(await folded(merchantId)).toBe(processRoles.worker);
  const second = await start({});
  // The leader is stopped within a turn, between a read and the resulting alert, and loses its locks.
  const page = await pages.hold();
  first.freeze();
  page.writeHead(200, { 'content-type': 'text/html' }).end('<script>steal()</script>');
  await world.database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'card-payments-sweeps' AND usename = $1`,
    [processRoles.worker],
  );
  const before = await ledBy(second);
  first.thaw();
  for (let turn = 0; turn < 3; turn += 1) expect(await folded(merchantId)).toBe(owner);
  // The other process hangs, and PostgreSQL ends its session.
  second.freeze();
  expect(await folded(merchantId)).toBe(processRoles.worker);
  const after = await ledBy(first);
  expect(after.term).toBeGreaterThan(before.term);
  second.thaw();
  for (let turn = 0; turn < 5; turn += 1) expect(await folded(merchantId)).toBe(processRoles.worker);
  expect(await noted()).toEqual(after);
  // It is a follower again, and leads once the first is gone.
  await first.stop();
  expect(await folded(merchantId)).toBe(owner);
  expect((await noted())?.term).toBeGreaterThan(after.term);
  // The read before the stop caused no alert.
  const { rows: raised } = await world.database.query(
    `SELECT detail FROM operator_alerts WHERE sweep = 'payment page' AND detail LIKE 'inline script %'`,
  );
  expect(raised).toEqual([]);
  expect(first.logged()).not.toContain('what this build does not ship');
  pages.close();
});
