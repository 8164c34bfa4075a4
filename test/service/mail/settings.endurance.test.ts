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
