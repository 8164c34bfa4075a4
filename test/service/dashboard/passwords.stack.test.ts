import { texts } from '../../../src/dashboard/texts/en.ts';
import { DashboardClient, ownerLink } from '../../support/dashboard.ts';
import {
  codeOf,
  deleteTries,
  memberWithPassword,
  password,
  postSignIn,
} from '../../support/member-passwords.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { worker: false });
});
afterAll(() => world.close());

const home = '/dashboard/sandbox';
const withPassword = () => memberWithPassword(world);
const signIn = (fields: Record<string, string>) => postSignIn(world, '/dashboard/sign-in', fields);
const forget = (login: string) => deleteTries(world, login);

describe('a password', () => {
  it('signs in together with a code, which works once', async () => {
    const { login, secret, recovery } = await withPassword();
    expect(recovery).toHaveLength(10);
    const code = codeOf(secret);
    expect((await signIn({ login: login.toUpperCase(), password, code })).location).toBe(home);
    const again = await signIn({ login, password, code });
    expect(again.status).toBe(403);
    expect(again.text).toContain(texts.signIn.wrongPassword);
    expect(again.text).toContain(`value="${login}"`);
    expect(again.text).not.toContain(password);
  });

  it('does not sign in alone, nor does a code alone; an unknown name gets the same answer', async () => {
    const { login, secret } = await withPassword();
    const wrong = [
      { login, password, code: '000000' },
      { login, password: 'wrong', code: codeOf(secret) },
      { login: 'unknown@example.org', password, code: codeOf(secret) },
    ];
    const answers = [];
    for (const fields of wrong) {
      await forget(login);
      answers.push(await signIn(fields));
    }
    const pages = answers.map(({ text }) => text.replaceAll(/value="[^"]*"/g, ''));
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(new Set(pages).size).toBe(1);
  });

  it('has recovery codes, each of which replaces a code of the app once', async () => {
    const { login, recovery } = await withPassword();
    const [code = ''] = recovery;
    expect((await signIn({ login, password, code })).status).toBe(303);
    expect((await signIn({ login, password, code })).status).toBe(403);
  });

  it('is locked for longer and longer after wrong guesses, also when many come at once', async () => {
    const { login, secret } = await withPassword();
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => signIn({ login, password: `guess ${index}`, code: '123456' })),
    );
    expect(guesses.every(({ status }) => status === 403)).toBe(true);
    const { rows } = await world.database.query<{ tries: number; waits: boolean }>(
      `SELECT t.failed AS tries, t.try_after > now() AS waits FROM member_tries t
       JOIN members m ON m.id = t.member_id WHERE m.login = $1 AND t.lane LIKE 'network:%'`,
      [login.toLowerCase()],
    );
    // Three tries are verified; the others arrive during the lock.
    expect(rows[0]?.tries).toBeLessThan(12);
    await world.database.query(
      `UPDATE member_tries t SET try_after = now() + interval '1 hour' FROM members m
       WHERE m.id = t.member_id AND m.login = $1`,
      [login.toLowerCase()],
    );
    expect((await signIn({ login, password, code: codeOf(secret) })).status).toBe(403);
    await forget(login);
    expect((await signIn({ login, password, code: codeOf(secret) })).status).toBe(303);
  });

  it('confirms who the member is, and is refused when it is short or common', async () => {
    const { client, merchantId, secret, login } = await withPassword();
    const age = () =>
      world.database.query(
        `UPDATE member_sessions s SET confirmed_at = confirmed_at - interval '1 hour'
         FROM members m WHERE m.id = s.member_id AND m.merchant_id = $1`,
        [merchantId],
      );
    await age();
    expect((await client.post(`${home}/confirm/password`, { password, code: 'x', to: home })).status).toBe(
      403,
    );
    await forget(login);
    const before = client.cookies.get('__Host-dashboard') ?? '';
    const done = await client.post(`${home}/confirm/password`, { password, code: codeOf(secret), to: home });
    expect(done.location).toBe(`${home}?done=confirmed`);
    // The cookie of the earlier session is invalid.
    const former = new DashboardClient(world);
    former.cookies.set('__Host-dashboard', before);
    expect((await former.get(home)).location).toMatch(/^\/dashboard\/sign-in/);
    expect((await client.get(home)).status).toBe(200);

    const other = await DashboardClient.by(world, await ownerLink(world, await world.merchant()));
    const page = await other.get(`${home}/team/password`);
    const own = /data-testid="totp-secret">([A-Z2-7]+)</.exec(page.text)?.[1] ?? '';
    const form = { login, password, secret: own, code: codeOf(own) };
    expect((await other.post(`${home}/team/password`, form)).text).toContain(texts.signIn.loginTaken);
    const short = await other.post(`${home}/team/password`, {
      ...form,
      login: 'new-name',
      password: 'short',
    });
    expect(short.text).toContain(texts.signIn.passwordTooShort);
    for (const guessed of ['1qaz2wsx3edc', 'new.name-2026', 'cardpayments1234']) {
      const weak = await other.post(`${home}/team/password`, {
        ...form,
        login: 'new.name@shop.example',
        password: guessed,
      });
      expect(weak.status).toBe(422);
      expect(weak.text).toContain(texts.signIn.weakPassword);
      expect(weak.text).not.toContain(guessed);
    }
    // The secret that the app has already scanned, and the name, are still there.
    expect(short.text).toContain(`data-testid="totp-secret">${own}<`);
    expect(short.text).toContain('value="new-name"');
    expect(page.text).not.toContain(texts.signIn.changePasswordText);
    const again = await client.get(`${home}/team/password`);
    expect(again.text).toContain(texts.signIn.changePasswordText);
    expect(again.text).toContain(`value="${login.toLowerCase()}"`);
  });

  it('is stored as argon2id, with an encrypted second factor', async () => {
    const { login, secret, recovery } = await withPassword();
    const { rows } = await world.database.query<{ hash: string; row: string }>(
      'SELECT password_hash AS hash, members::text AS row FROM members WHERE login = $1',
      [login.toLowerCase()],
    );
    expect(rows[0]?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const everything = `${rows[0]?.row}\n${world.logs.join('\n')}`;
    for (const canary of [password, secret, Buffer.from(secret).toString('hex'), recovery[0] ?? '?']) {
      expect(everything).not.toContain(canary);
    }
  });
});
