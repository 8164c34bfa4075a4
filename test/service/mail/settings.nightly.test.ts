import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { mailFix } from '../../../src/mail/messages/fixes.ts';
import { DashboardClient, ownerLink } from '../../support/dashboard.ts';
import { type MailServerStandIn, startMailServer } from '../../support/mail-server.ts';
import { sender } from '../../support/mail-world.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let server: MailServerStandIn;
beforeAll(async () => {
  server = await startMailServer();
  world = await createWorld({}, { worker: false });
});
afterAll(async () => {
  await world.close();
  await server.close();
});

const home = '/dashboard/sandbox';
const text = texts.settings.mail;

it('a merchant sets, tests and removes its mail server, and no page shows its password', async () => {
  const merchantId = await world.merchant();
  const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const save = (url: string, from = sender) => owner.post(`${home}/settings/mail`, { url, from });
  const test = (to: string) => owner.post(`${home}/settings/mail/test`, { to });
  const password = decodeURIComponent(/:([^:@/]*)@/.exec(server.url)?.[1] ?? '');

  expect((await owner.get(`${home}/settings`)).text).toContain(text.none);
  expect(await test('you@shop.example')).toMatchObject({
    status: 409,
    text: expect.stringContaining(text.noServer) as string,
  });
  const refused = await save('smtp://user:s3cret-word@10.0.0.1');
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('must not name a private or reserved address');
  expect(refused.text).not.toContain('s3cret-word');
  expect((await save(server.url, 'no address')).text).toContain(text.invalidFrom);

  expect(await save(server.url)).toMatchObject({ status: 303 });
  const shown = (await owner.get(`${home}/settings`)).text;
  expect(shown).toContain(`127.0.0.1:${server.port}`);
  expect(shown).not.toContain(password);
  expect(await test('not-an-address')).toMatchObject({
    status: 422,
    text: expect.stringContaining(text.invalidTo) as string,
  });
  expect((await test('you@shop.example')).text).toContain(text.tested('you@shop.example'));
  expect(server.taken.map(({ to, from }) => [to, from])).toEqual([['you@shop.example', sender]]);

  await save(server.url.replace(/:[^:@/]*@/, ':wrong@'));
  const failed = await test('you@shop.example');
  expect(failed.status).toBe(409);
  expect(failed.text).toContain(mailFix({ problem: 'login', replyCode: 535 }));

  expect(await owner.post(`${home}/settings/mail/remove`)).toMatchObject({ status: 303 });
  expect((await owner.get(`${home}/settings`)).text).toContain(text.none);
  const { rows } = await world.database.query<{ entry: string }>(
    `SELECT e::text AS entry FROM audit_entries e WHERE merchant_id = $1`,
    [merchantId],
  );
  const audited = rows.map(({ entry }) => entry).join('\n');
  expect(audited).toContain('mail.set');
  expect(audited).toContain('mail.removed');
  for (const secret of [password, 'wrong@', 's3cret-word']) {
    expect(`${audited}\n${world.logs.join('\n')}`).not.toContain(secret);
  }
});

it('the command sets, shows, tests and removes a mail server; the address can come from standard input', async () => {
  const place = ['--merchant', await world.merchant(), '--environment', 'live'];
  const given = { stdin: `${server.url}\n` };
  const set = await admin(['mail', 'set', ...place, '--url-file', '-', '--from', sender], given);
  expect(set).toMatchObject({
    code: 0,
    answer: { server: `127.0.0.1:${server.port}`, from: sender, waiting: 0 },
  });
  expect(await admin(['mail', 'show', ...place])).toEqual(set);
  expect(await admin(['mail', 'test', ...place, '--to', 'op@shop.example'])).toMatchObject({
    code: 0,
    answer: { sentTo: 'op@shop.example' },
  });
  expect(server.taken.map(({ to }) => to)).toContain('op@shop.example');

  const refused = ['--url', 'smtp://user:s3cret-word@10.0.0.1', '--from', sender];
  const failed = await admin(['mail', 'set', ...place, ...refused]);
  expect(failed).toMatchObject({ code: 1, stderr: '--url must not name a private or reserved address\n' });
  const wrong = server.url.replace(/:[^:@/]*@/, ':s3cret-word@');
  await admin(['mail', 'set', ...place, '--url', wrong, '--from', sender]);
  const tested = await admin(['mail', 'test', ...place, '--to', 'op@shop.example']);
  expect(tested).toMatchObject({ code: 1, stderr: `${mailFix({ problem: 'login', replyCode: 535 })}\n` });

  expect((await admin(['mail', 'remove', ...place])).answer).toMatchObject({ server: null });
  expect((await admin(['mail', 'test', ...place, '--to', 'op@shop.example'])).stderr).toContain('mail set');
});

/** Runs the operator command. */
async function admin(words: string[], { stdin = '' } = {}) {
  const command = join(import.meta.dirname, '../../../dist/src/cli/admin.js');
  const child = spawn(process.execPath, [command, ...words, '--json'], {
    env: { PATH: process.env['PATH'], ...world.environment },
  });
  child.stdin.end(stdin);
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([readAll(child.stdout), readAll(child.stderr), ended]);
  const answer = stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>);
  return { code, stderr, answer };
}
