import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, createServer } from 'node:tls';
import { promisify } from 'node:util';
import pg from 'pg';
import { projectRoot } from '../../support/harness/project-root.ts';
import { type ApiProcess, startApiProcess, startWorkerProcess } from '../../support/service-process.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/*
 * The steps of docs/operations.md, "Several hosts", run as they are written. All names are `localhost` here.
 * Temporal's time-skipping and development servers have no TLS, so a TLS server in front of them requires a
 * client's certificate, like a frontend that is configured for it.
 */

const limit = 120_000;

/** Returns the code blocks of the section, in order. */
function blocks(language: string): string[] {
  const document = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8');
  const section = /^### Several hosts$(.*?)^### /ms.exec(document)?.[1] ?? '';
  return [...section.matchAll(/^ *```(\w+)\n(.*?)^ *```$/gms)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '');
}

let world: World;
let directory: string;
let temporal: Server;
let admin: pg.Client;

/** Returns a text of the document with the names and folders of this machine. */
const here = (text: string): string =>
  text.replaceAll(/\b(?:db|temporal)\.internal\b/g, 'localhost').replaceAll('/etc/card-payments', directory);

/** Creates the certificates in the folder. */
function makeCertificates(): void {
  const [commands = ''] = blocks('sh');
  execFileSync('bash', ['-euc', here(commands)], { cwd: directory, stdio: 'pipe' });
}

/** Gives PostgreSQL its key, which must belong to its user and be private. */
async function switchTlsOn(): Promise<void> {
  const { rows } = await admin.query<{ data_directory: string }>('SHOW data_directory');
  const { uid, gid } = statSync(rows[0]?.data_directory ?? '');
  const key = join(directory, 'localhost.key');
  // The service reads the same folder, and the test's own server reads the same key.
  chmodSync(directory, 0o755);
  if (process.getuid?.() === 0) chownSync(key, uid, gid);
  chmodSync(key, 0o600);
  const [statements = ''] = blocks('sql');
  for (const statement of here(statements).split(';')) {
    if (statement.trim() !== '') await admin.query(statement);
  }
}

/** Terminates TLS in front of Temporal, for clients with a certificate of the authority. */
async function endTls(): Promise<Server> {
  const [host = '', port = ''] = (process.env['TEST_TEMPORAL_ADDRESS'] ?? '').split(':');
  const file = (name: string) => readFileSync(join(directory, name));
  const server = createServer(
    {
      key: file('localhost.key'),
      cert: file('localhost.crt'),
      ca: file('ca.crt'),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (socket) => {
      const onward = connectTcp(Number(port), host);
      const close = (): void => {
        socket.destroy();
        onward.destroy();
      };
      for (const end of [socket, onward]) end.on('error', close).on('close', close);
      socket.pipe(onward).pipe(socket);
    },
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Returns the document's settings for a process; `host` is the name by which it reaches PostgreSQL. */
function settingsOf(user: string, host = 'localhost'): Record<string, string> {
  const [, exports = ''] = blocks('sh');
  const lines = [...here(exports).matchAll(/^ *export (\w+)='(.*)'$/gm)];
  const settings: Record<string, string> = Object.fromEntries(
    lines.map(([, name = '', value = '']) => [name, value]),
  );
  const own = new URL(world.environment['DATABASE_URL'] ?? '');
  const url = new URL(String(settings['DATABASE_URL']).replace('…', 'password'));
  url.username = user;
  // The operator command uses the owner.
  url.password = user === own.username ? own.password : String(process.env['TEST_DATABASE_ROLES_PASSWORD']);
  url.host = `${host}:${own.port}`;
  url.pathname = own.pathname;
  const { port } = temporal.address() as AddressInfo;
  return {
    ...settings,
    DATABASE_URL: url.toString(),
    TEMPORAL_ADDRESS: `localhost:${port}`,
  };
}

/** Returns the numbers of encrypted and unencrypted connections of the service to this world's database. */
async function connections(): Promise<Record<string, number>> {
  const { rows } = await admin.query<{ ssl: boolean; count: number }>(
    `SELECT ssl, count(*)::int AS count FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE datname = $1 AND usename LIKE 'card_payments%' GROUP BY ssl`,
    [new URL(world.environment['DATABASE_URL'] ?? '').pathname.slice(1)],
  );
  return Object.fromEntries(rows.map(({ ssl, count }) => [ssl ? 'encrypted' : 'open', count]));
}

/** Returns the faults that `admin doctor` finds in the connections to PostgreSQL and Temporal. */
async function faultsOfDoctor(settings: Record<string, string>): Promise<unknown[]> {
  const env = { PATH: process.env['PATH'], ...world.environment, ...settings };
  const script = join(projectRoot, 'dist/src/cli/admin.js');
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'doctor', '--json'], { env }).catch(
    // Exit code 3 means other faults, such as the free disk space of this machine.
    (error: unknown) => error as { stdout: string },
  );
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean }[] };
  const ofConnections = checks.filter(({ name }) => /^(database|temporal|namespace)/.test(name));
  expect(ofConnections.length).toBeGreaterThan(2);
  return ofConnections.filter(({ ok }) => !ok);
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'card-payments-hosts-'));
  admin = new pg.Client({ connectionString: process.env['TEST_DATABASE_ADMIN_URL'] });
  await admin.connect();
  makeCertificates();
  temporal = await endTls();
  world = await createWorld({}, { worker: false });
  await switchTlsOn();
}, limit);
afterAll(async () => {
  for (const name of ['ssl', 'ssl_cert_file', 'ssl_key_file'])
    await admin.query(`ALTER SYSTEM RESET ${name}`);
  await admin.query('SELECT pg_reload_conf()');
  await admin.end();
  await world.close();
  temporal.close();
  rmSync(directory, { recursive: true });
}, limit);

it(
  'takes a payment over verified TLS to PostgreSQL and Temporal',
  async () => {
    const api: ApiProcess = await startApiProcess(world, settingsOf('card_payments_api'));
    const worker = await startWorkerProcess(world, settingsOf('card_payments_worker'));
    try {
      const shop = new Shop(api.baseUrl, await world.key(await world.merchant(), 'sandbox'));
      const id = await shop.customPayment();
      const paid = await shop.pay(id, await shop.captureCard(id));
      expect(paid.body.data).toMatchObject({ status: 'paid' });
      // Only the world's own API, which gets no request, has unencrypted ones.
      expect((await connections())['encrypted']).toBeGreaterThan(0);
      expect(
        await faultsOfDoctor(settingsOf(new URL(world.environment['DATABASE_URL'] ?? '').username)),
      ).toEqual([]);
    } finally {
      await worker.stop();
      await api.kill();
    }
  },
  limit,
);

it(
  'refuses a PostgreSQL with another name, and a Temporal of another authority',
  async () => {
    // The certificate is for `localhost`; its address is another name.
    const misnamed = settingsOf('card_payments_worker', '127.0.0.1');
    await expect(startWorkerProcess(world, misnamed)).rejects.toThrow(
      'DATABASE_URL: the certificate of PostgreSQL is for another name',
    );
    const strange = {
      ...settingsOf('card_payments_worker'),
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(directory, 'payments.internal.crt'),
    };
    await expect(startWorkerProcess(world, strange)).rejects.toThrow(
      'TEMPORAL_ADDRESS: Temporal does not answer',
    );
  },
  limit,
);
