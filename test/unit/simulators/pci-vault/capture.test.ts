import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call } from '../../../support/simulators.ts';
import {
  basic,
  PciVaultWorld,
  VAULT_KEY,
  VAULT_PASSPHRASE,
  VAULT_USER,
} from '../../../support/pci-vault-dialect.ts';

const VISA = '4242424242424242';
const REAL_CARD = '4539578763621486';
interface Captured {
  token: string;
  reference: string;
  user: string;
}

describe('capture at the PCI Vault dialect', () => {
  let world: PciVaultWorld;
  beforeAll(async () => {
    world = await PciVaultWorld.start();
  });
  afterAll(() => world.stop());
  beforeEach(() => {
    world.skewMs = 0;
  });

  it('makes an endpoint with a secret, and gives token and reference for a card', async () => {
    const endpoint = await world.endpoint({ unique_id: 'cap_reference_1' });
    expect(endpoint).toMatchObject({ url: '/v1/capture/cap_reference_1', unique_id: 'cap_reference_1' });
    const answer = await world.capture(endpoint, VISA);
    expect(answer.status).toBe(200);
    expect(answer.json<Captured>()).toEqual({
      token: expect.stringMatching(/^[0-9a-f]{64}$/),
      reference: 'cap_reference_1',
      user: VAULT_KEY,
    });
  });

  it('gives the same token for the same number, separately under each reference', async () => {
    const captures = [
      await world.capture(await world.endpoint(), VISA),
      await world.capture(await world.endpoint(), VISA, { fields: { card_cvv: '999' } }),
      await world.capture(await world.endpoint(), '5555555555554444'),
    ].map((answer) => answer.json<Captured>());
    const [first, second, other] = captures;
    expect(second?.token).toBe(first?.token);
    expect(second?.reference).not.toBe(first?.reference);
    expect(other?.token).not.toBe(first?.token);
  });

  it('lets the sender name another reference, as the vault does', async () => {
    const answer = await world.capture(await world.endpoint(), VISA, { query: '?reference=mine' });
    expect(answer.json<Captured>().reference).toBe('mine');
  });

  it.each([
    ['a wrong secret', async () => ({ ...(await world.endpoint()), secret: 'wrong' })],
    [
      'a deleted endpoint',
      async () => {
        const endpoint = await world.endpoint();
        await world.ask('DELETE', endpoint.url);
        return endpoint;
      },
    ],
    [
      'an endpoint that has ended',
      async () => {
        const endpoint = await world.endpoint({ ttl: 'PT1M' });
        world.skewMs = 60_001;
        return endpoint;
      },
    ],
    ['an endpoint that never was', async () => ({ url: '/v1/capture/nowhere', secret: 'x'.repeat(64) })],
  ])('refuses %s with one answer', async (_what, endpoint) => {
    const answer = await world.capture(await endpoint(), VISA);
    expect([answer.status, answer.text]).toEqual([
      401,
      '{"error":{"code":"unauthorized","message":"The capture access is not valid."}}',
    ]);
  });

  it('refuses a card that is no published test card, and stores nothing of it', async () => {
    const endpoint = await world.endpoint();
    const answer = await world.capture(endpoint, REAL_CARD);
    expect(answer.status).toBe(422);
    await world.capture(endpoint, VISA);
    for (const name of await readdir(world.dir)) {
      const kept = await readFile(join(world.dir, name), 'latin1');
      expect(kept).not.toContain(REAL_CARD);
      expect(kept).not.toContain(VISA);
    }
  });

  it('refuses a unique id that is in use, a wrong key, a wrong account and a wrong duration', async () => {
    const unlocked = { user: VAULT_KEY, passphrase: VAULT_PASSPHRASE };
    await world.endpoint({ unique_id: 'taken' });
    const asked = async (query: Record<string, string>, headers = {}) =>
      (await world.ask('POST', '/v1/capture', query, { headers })).status;
    expect(await asked({ ...unlocked, unique_id: 'taken' })).toBe(409);
    expect(await asked({ ...unlocked, passphrase: 'another-passphrase' })).toBe(401);
    expect(await asked({ ...unlocked, user: 'another-key' })).toBe(401);
    expect(await asked(unlocked, { authorization: basic(VAULT_USER, 'wrong') })).toBe(401);
    expect(await asked({ ...unlocked, ttl: 'soon' })).toBe(400);
  });

  it.each([
    ['PT45M', 45],
    ['45m', 45],
    ['P1D', 1_440],
    ['1h30m', 90],
  ])('keeps an endpoint of %s for %d minutes', async (ttl, minutes) => {
    const { expires_at: end = '' } = await world.endpoint({ ttl });
    expect(Math.round((Date.parse(end) - Date.now()) / 60_000)).toBe(minutes);
  });

  it('keeps endpoints, tokens and cards over a restart, and removes a deleted card', async () => {
    const endpoint = await world.endpoint();
    const { token, reference } = (await world.capture(endpoint, VISA)).json<Captured>();
    await world.restart();
    expect((await world.capture(endpoint, VISA)).json<Captured>().token).toBe(token);
    const list = () => world.ask('GET', '/v1/vault', { user: VAULT_KEY, reference });
    expect((await list()).json<Record<string, Captured[]>>()[VAULT_KEY]).toMatchObject([
      { token, reference },
    ]);
    const forget = () => world.ask('DELETE', '/v1/vault', { user: VAULT_KEY, token, reference });
    expect((await forget()).status).toBe(200);
    expect((await forget()).status).toBe(404);
    expect((await list()).json<Record<string, Captured[]>>()[VAULT_KEY]).toEqual([]);
  });

  it('does not return cards', async () => {
    const { token, reference } = (await world.capture(await world.endpoint(), VISA)).json<Captured>();
    const unlocked = { user: VAULT_KEY, passphrase: VAULT_PASSPHRASE };
    const answer = await world.ask('GET', '/v1/vault', { ...unlocked, token, reference });
    expect(answer.status).toBe(403);
  });

  it('can be posted to by a form of any origin', async () => {
    const endpoint = await world.endpoint();
    const asked = await call(world.url + endpoint.url, { method: 'OPTIONS' as 'GET' });
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'content-type, x-pcivault-capture-secret',
    });
    expect((await world.capture(endpoint, VISA)).headers['access-control-allow-origin']).toBe('*');
  });

  it('lets a browser read its refusals, too', async () => {
    const endpoint = await world.endpoint();
    const refused = await world.capture({ ...endpoint, secret: 'not-the-secret' }, VISA);
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, '*']);
  });
});
