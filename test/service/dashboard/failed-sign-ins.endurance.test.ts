import { DashboardClient } from '../../support/dashboard.ts';
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
  world = await createWorld(
    { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMITS: 'failures=0.01/60' },
    { worker: false },
  );
});
afterAll(() => world.close());

/** Returns the failed sign-ins that were logged while `work` ran. */
async function failuresOf(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const before = world.logs.length;
  await work();
  return world.logs
    .slice(before)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'a sign-in failed');
}

const byPassword = (fields: Record<string, string>) => postSignIn(world, '/dashboard/sign-in', fields);

it('a failed sign-in by password is logged with the member, the reason and the address', async () => {
  const { login, secret, recovery, merchantId } = await memberWithPassword(world);
  const { rows } = await world.database.query<{ id: string }>(
    'SELECT id FROM members WHERE merchant_id = $1',
    [merchantId],
  );
  const memberId = rows[0]?.id;
  const code = codeOf(secret);
  const [recoveryCode = ''] = recovery;
  const used = async (given: string) => {
    await deleteTries(world, login);
    expect((await byPassword({ login, password, code: given })).status).toBe(303);
  };
  const tries: [string, () => Promise<unknown>][] = [
    ['wrong password', () => byPassword({ login, password: 'not this one', code })],
    ['wrong code', () => byPassword({ login, password, code: code === '000000' ? '000001' : '000000' })],
    ['wrong recovery code', () => byPassword({ login, password, code: 'aaaaaa-bbbbbb-cccccc' })],
    ['code used before', () => used(code).then(() => byPassword({ login, password, code }))],
    [
      'wrong recovery code',
      () => used(recoveryCode).then(() => byPassword({ login, password, code: recoveryCode })),
    ],
  ];
  for (const [reason, attempt] of tries) {
    await deleteTries(world, login);
    expect(await failuresOf(attempt)).toEqual([
      expect.objectContaining({ means: 'password', reason, memberId, address: '127.0.0.1', level: 40 }),
    ]);
  }
  await world.database.query(
    `INSERT INTO member_tries (member_id, lane, failed, tried_at, try_after)
     VALUES ($1, 'network:127.0.0.1', 9, now(), now() + interval '1 hour')
     ON CONFLICT (member_id, lane) DO UPDATE SET try_after = excluded.try_after`,
    [memberId],
  );
  expect(await failuresOf(() => byPassword({ login, password, code }))).toMatchObject([
    { reason: 'has to wait', memberId },
  ]);
});

it('failed sign-ins with an unknown name share a hash in the log, which has no typed text', async () => {
  const typed = { login: 'Unknown.Typed@example.org', password: 'hunter2-was-typed', code: '918273' };
  const [first, second, other] = await failuresOf(async () => {
    await byPassword(typed);
    await byPassword({ ...typed, login: ` ${typed.login.toUpperCase()}` });
    await byPassword({ ...typed, login: 'another.name@example.org' });
  });
  expect(first).toMatchObject({ reason: 'unknown name', nameHash: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(first).not.toHaveProperty('memberId');
  expect(second?.['nameHash']).toBe(first?.['nameHash']);
  expect(other?.['nameHash']).not.toBe(first?.['nameHash']);
  const logs = world.logs.join('\n');
  expect(logs).not.toMatch(/unknown\.typed|another\.name|hunter2-was-typed|918273/i);
});

it('invalid passkeys and links are logged without their contents', async () => {
  const credential = JSON.stringify({ id: 'c29tZWJvZHlzLXBhc3NrZXk', response: {} });
  const token = 'x'.repeat(43);
  const failures = await failuresOf(async () => {
    await postSignIn(world, '/dashboard/sign-in/passkey', { credential });
    await postSignIn(world, '/dashboard/sign-in/passkey', { credential: 'no JSON' });
    await new DashboardClient(world).get(`/dashboard/link/${token}`, { 'x-forwarded-for': '192.0.2.7' });
  });
  expect(failures).toMatchObject([
    { means: 'passkey', reason: 'unknown passkey', address: '127.0.0.1' },
    { means: 'passkey', reason: 'passkey does not verify' },
    { means: 'link', reason: 'link unknown, used or over', address: '192.0.2.7' },
  ]);
  expect(world.logs.join('\n')).not.toMatch(/c29tZWJvZHlzLXBhc3NrZXk|x{43}/);
});

it('a failed confirmation by a signed-in member is logged too', async () => {
  const { client, login, merchantId } = await memberWithPassword(world);
  await world.database.query(
    `UPDATE member_sessions s SET confirmed_at = confirmed_at - interval '1 hour'
     FROM members m WHERE m.id = s.member_id AND m.merchant_id = $1`,
    [merchantId],
  );
  await deleteTries(world, login);
  const wrong = { password: 'not this one', code: 'x', credential: '{}', to: '/dashboard/sandbox' };
  expect(
    await failuresOf(async () => {
      await client.post('/dashboard/sandbox/confirm/password', wrong);
      await client.post('/dashboard/sandbox/confirm/passkey', wrong);
    }),
  ).toMatchObject([
    { means: 'password', reason: 'wrong password', memberId: expect.any(String) },
    { means: 'passkey', reason: 'unknown passkey', memberId: expect.any(String) },
  ]);
});

it('sign-ins beyond the limit of an address are logged', async () => {
  const from = { 'x-forwarded-for': '192.0.2.99' };
  const stranger = new DashboardClient(world);
  const failures = await failuresOf(async () => {
    let status = 0;
    let headers = new Headers();
    for (let tried = 0; tried < 200 && status !== 429; tried += 1) {
      ({ status, headers } = await stranger.get(`/dashboard/link/${'y'.repeat(43)}`, from));
    }
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
  expect(failures.at(-1)).toMatchObject({ means: 'link', reason: 'too many tries', address: '192.0.2.99' });
});
