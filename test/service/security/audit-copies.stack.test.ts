import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { uuidv7 } from 'uuidv7';
import { createKeyring, developmentEncryptionKeys } from '../../../src/crypto/keyring.ts';
import { createMerchant, updateSettings } from '../../../src/db/merchants/merchants.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import type { AuditEntry } from '../../../src/domain/audit.ts';
import { openAuditSink } from '../../../src/sweeps/audit-sink.ts';
import { createAuditCopySweep } from '../../../src/sweeps/sweep-audit-copies.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { createTestLogger } from '../../support/logger.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
let directory: string;
beforeEach(async () => {
  const signWith = createKeyring(developmentEncryptionKeys);
  const url = await cloneDatabase();
  [database, directory] = [
    openDatabase({ url, poolSize: 4, applicationName: 'test', signWith }),
    await mkdtemp(join(tmpdir(), 'audit-sink-')),
  ];
});
afterEach(async () => {
  await database.end();
  await rm(directory, { recursive: true, force: true });
});

async function merchant(): Promise<string> {
  const id = uuidv7();
  await createMerchant(database, { id, name: 'Shop', status: 'active' }, byOperator());
  return id;
}
const change = (id: string) => updateSettings(database, id, 'sandbox', { customMode: true }, byOperator());
const places = (entries: readonly AuditEntry[]) =>
  entries.map(({ merchantId, sequence }) => [merchantId, sequence]);

/** Returns a sweep with a test's sink, and its log. */
function sweepTo(send: ((entries: readonly AuditEntry[]) => Promise<void>) | null) {
  const logs: string[] = [];
  const logger = createTestLogger(logs);
  const sweep = createAuditCopySweep({ database, sink: send && { send }, everyMs: 1, logger });
  return { logs, run: () => sweep.run(() => true) };
}

it('a sink that fails loses nothing and blocks no other merchant and no writer; entries follow in order', async () => {
  const [one, other] = [await merchant(), await merchant()];
  await change(one);
  const taken: AuditEntry[] = [];
  let isAway = true;
  const { run } = sweepTo(async (entries) => {
    if (isAway && entries[0]?.merchantId === one) throw new Error('away');
    taken.push(...entries);
  });
  await expect(run()).rejects.toThrow('away');
  expect(places(taken)).toEqual([[other, 1]]);
  await change(other);
  isAway = false;
  await run();
  await run();
  expect(places(taken)).toEqual(
    expect.arrayContaining([
      [one, 1],
      [one, 2],
      [other, 2],
    ]),
  );
  expect(taken).toHaveLength(4);
  expect(taken.every(({ signature }) => signature !== null)).toBe(true);
});

it('the end of a log is logged when it changed, at most once an hour', async () => {
  const id = await merchant();
  const { logs, run } = sweepTo(null);
  await run();
  await change(id);
  await run();
  const heads = () => logs.filter((line) => line.includes('the end of an audit log'));
  expect(heads()).toHaveLength(1);
  expect(JSON.parse(heads()[0] ?? '')).toMatchObject({ merchantId: id, sequence: 1 });
  await database.query(`UPDATE audit_copies SET logged_at = now() - interval '61 minutes'`);
  await run();
  await run();
  expect(heads()).toHaveLength(2);
});

it('a file gets each entry as a whole line, also after half of one', async () => {
  const id = await merchant();
  const path = join(directory, 'audit.jsonl');
  const sink = openAuditSink(pathToFileURL(path).href);
  await appendFile(path, '{"merchantId":"cut');
  await sweepTo((entries) => sink.send(entries)).run();
  await change(id);
  await sweepTo((entries) => sink.send(entries)).run();
  const [cut, ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(cut).toBe('{"merchantId":"cut');
  expect(lines.map((line) => (JSON.parse(line) as AuditEntry).sequence)).toEqual([1, 2]);
});

it('an address gets lines with a bearer token; a refusal keeps the entries', async () => {
  await merchant();
  const received: string[] = [];
  let status = 503;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      received.push(`${request.headers.authorization} ${body}`);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const sink = openAuditSink(`http://127.0.0.1:${port}/audit`, 'a-token-of-16-chars');
    const { run } = sweepTo((entries) => sink.send(entries));
    await expect(run()).rejects.toThrow('answered 503');
    status = 200;
    await run();
    await run();
    expect(received).toHaveLength(2);
    expect(received[1]).toMatch(/^Bearer a-token-of-16-chars \{"merchantId".*"sequence":1.*\}\n$/);
  } finally {
    server.close();
  }
});
