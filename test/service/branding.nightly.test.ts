import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jsonData } from '../support/answers.ts';
import { Shop } from '../support/shop.ts';
import { createWorld, type World } from '../support/world.ts';

const logo = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><path d="M0 0h10v10z" fill="#0f766e"/></svg>',
);

const darkLogo = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><path d="M0 0h10v10z" fill="#2dd4bf"/></svg>',
);

describe("a shop's branding", () => {
  let world: World;
  let merchant: string;
  let shop: Shop;
  let directory: string;

  beforeAll(async () => {
    [world, directory] = await Promise.all([
      createWorld({}, { worker: false }),
      mkdtemp(join(tmpdir(), 'card-payments-branding-')),
    ]);
    merchant = await world.merchant();
    shop = new Shop(world.baseUrl, await world.key(merchant, 'sandbox'));
  });
  afterAll(async () => {
    await world.close();
    await rm(directory, { recursive: true, force: true });
  });

  const change = (body: Record<string, unknown>, by = shop) => by.call('PATCH', '/v1/branding', body);
  const read = async (by = shop) => (await by.call('GET', '/v1/branding')).body.data;
  /** Runs the operator command; returns its exit code and its one line. */
  const admin = async (...args: string[]): Promise<{ code: number; line: string }> => {
    const main = join(import.meta.dirname, '../../dist/src/cli/admin.js');
    const all = [main, 'branding', ...args, '--merchant', merchant, '--environment', 'live', '--json'];
    try {
      const { stdout } = await promisify(execFile)(process.execPath, all, {
        env: { ...process.env, ...world.environment },
      });
      return { code: 0, line: stdout.trim() };
    } catch (error) {
      const { code, stderr } = error as { code: number; stderr: string };
      return { code, line: stderr.trim() };
    }
  };

  it('is empty at first, changes by the given fields, and is cleared by null', async () => {
    expect(await read()).toEqual({
      displayName: null,
      accent: null,
      supportEmail: null,
      supportUrl: null,
      termsUrl: null,
      privacyUrl: null,
      statementDescriptor: null,
      logo: null,
      darkLogo: null,
    });
    const first = await change({
      displayName: 'Blue Bottle',
      accent: '#0F766E',
      logo: logo.toString('base64'),
    });
    expect(first.body.data).toMatchObject({
      displayName: 'Blue Bottle',
      accent: '#0f766e',
      logo: {
        url: expect.stringMatching(new RegExp(`^${world.baseUrl}/assets/logo/[0-9a-f]{64}\\.svg$`)),
        contentType: 'image/svg+xml',
        width: 96,
        height: 96,
      },
    });
    const { url } = (jsonData(first) as { logo: { url: string } }).logo;
    const served = await fetch(url);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    const second = await change({ displayName: null, termsUrl: 'https://shop.example/terms' });
    expect(second.body.data).toMatchObject({
      displayName: null,
      accent: '#0f766e',
      termsUrl: 'https://shop.example/terms',
      logo: { width: 96 },
    });
    expect((await shop.call('DELETE', '/v1/branding')).body.data).toEqual({ cleared: true });
    expect(await read()).toMatchObject({ accent: null, logo: null });
    expect((await fetch(url)).status).toBe(404);
  });

  it('has a second logo for dark pages, beside the first and cleared with it', async () => {
    await shop.call('DELETE', '/v1/branding');
    const both = { logo: logo.toString('base64'), darkLogo: darkLogo.toString('base64') };
    const alone = await change({ darkLogo: both.darkLogo });
    expect([alone.status, alone.body.error?.field, alone.body.error?.message]).toEqual([
      422,
      'darkLogo',
      expect.stringContaining('needs a logo for light pages too'),
    ]);
    const set = jsonData(await change(both)) as Record<'logo' | 'darkLogo', { url: string }>;
    expect(set.darkLogo.url).not.toBe(set.logo.url);
    const served = await fetch(set.darkLogo.url);
    expect([served.status, await served.text()]).toEqual([200, expect.stringContaining('#2dd4bf')]);
    expect(await read()).toMatchObject({ logo: { width: 96 }, darkLogo: { width: 96 } });
    await change({ darkLogo: null });
    expect(await read()).toMatchObject({ logo: { width: 96 }, darkLogo: null });
    await change({ darkLogo: both.darkLogo });
    await change({ logo: null });
    expect(await read()).toMatchObject({ logo: null, darkLogo: null });
    expect((await fetch(set.darkLogo.url)).status).toBe(404);
  });

  it("belongs to one merchant in one environment: others' branding is neither shown nor changed", async () => {
    const other = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
    const live = new Shop(world.baseUrl, await world.key(merchant, 'live'));
    await change({ displayName: 'Mine' });
    expect(await read(other)).toMatchObject({ displayName: null });
    expect(await read(live)).toMatchObject({ displayName: null });
    await other.call('DELETE', '/v1/branding');
    expect(await read()).toMatchObject({ displayName: 'Mine' });
  });

  it.each([
    ['accent', 'red', 'must be a color such as #1d4ed8'],
    ['displayName', 'x'.repeat(61), '1 to 60 characters'],
    ['displayName', 'a\u202eb', 'control characters'],
    ['supportEmail', 'unknown', 'must be an e-mail address'],
    ['supportUrl', 'javascript:alert(1)', 'must be an absolute https URL'],
    ['privacyUrl', 'https://a@shop.example/', 'must not have credentials'],
    ['statementDescriptor', 'ABC', '5 to 22 characters'],
    ['statementDescriptor', 'Café du coin', '5 to 22 characters'],
    ['logo', Buffer.from('hello').toString('base64'), 'must be a PNG or an SVG'],
    ['logo', Buffer.from('<svg viewBox="0 0 1 1"><script/></svg>').toString('base64'), 'carries a script'],
    ['logo', 'not base64', 'must be a file in base64'],
    ['darkLogo', Buffer.from('hello').toString('base64'), 'must be a PNG or an SVG'],
    ['logo', Buffer.alloc(260 * 1024).toString('base64'), 'at most 256 KB'],
  ])('is not changed by a wrong %s, which is refused with the reason (%#)', async (field, value, reason) => {
    await change({ displayName: 'Before', accent: '#0f766e' });
    const refused = await change({ termsUrl: 'https://shop.example/after', [field]: value });
    expect([refused.status, refused.body.error?.code, refused.body.error?.field]).toEqual([
      422,
      'validation_failed',
      field,
    ]);
    expect(refused.body.error?.message).toContain(reason);
    expect(await read()).toMatchObject({ displayName: 'Before', accent: '#0f766e', termsUrl: null });
  });

  it('is set, shown and cleared by the operator command', async () => {
    const file = join(directory, 'logo.svg');
    await writeFile(file, logo);
    const set = await admin(
      'set',
      '--display-name',
      'Blue Bottle',
      '--logo',
      file,
      '--statement-descriptor',
      'BLUEBOTTLE',
    );
    expect(set.code).toBe(0);
    expect(JSON.parse(set.line)).toMatchObject({
      displayName: 'Blue Bottle',
      statementDescriptor: 'BLUEBOTTLE',
      logo: { contentType: 'image/svg+xml', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const dark = join(directory, 'dark.svg');
    await writeFile(dark, darkLogo);
    expect(JSON.parse((await admin('set', '--dark-logo', dark)).line)).toMatchObject({
      darkLogo: { contentType: 'image/svg+xml' },
    });
    expect(JSON.parse((await admin('set', '--logo', '')).line)).toMatchObject({
      displayName: 'Blue Bottle',
      logo: null,
      darkLogo: null,
    });
    expect(await admin('set', '--dark-logo', dark)).toEqual({
      code: 1,
      line: '--dark-logo needs a logo for light pages too',
    });
    expect(JSON.parse((await admin('set', '--accent', '#FFCC00')).line)).toMatchObject({ accent: '#ffcc00' });
    expect(await admin('set', '--accent', 'yellow')).toEqual({
      code: 1,
      line: '--accent must be a color such as #1d4ed8',
    });
    await writeFile(file, 'hello');
    expect(await admin('set', '--logo', file)).toEqual({ code: 1, line: '--logo must be a PNG or an SVG' });
    expect(await admin('set', '--logo', join(directory, 'missing'))).toMatchObject({ code: 1 });
    expect(JSON.parse((await admin('show')).line)).toMatchObject({ displayName: 'Blue Bottle' });
    expect(JSON.parse((await admin('clear')).line)).toEqual({ cleared: true });
    expect(JSON.parse((await admin('clear')).line)).toEqual({ cleared: false });
  });
});
