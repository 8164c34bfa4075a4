import { maxMembers } from '../../../src/db/members/members.ts';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { worker: false });
});
afterAll(() => world.close());

const home = '/dashboard/sandbox';

it('a merchant has at most 50 open invitations, also when many are created at once', async () => {
  const merchantId = await world.merchant();
  const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const links: string[] = [];
  while (links.length < 48) links.push(await invitationLink(world, merchantId, 'readOnly'));
  const open = async (): Promise<number> => {
    const { rows } = await world.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM sign_in_links
       WHERE merchant_id = $1 AND role IS NOT NULL AND used_at IS NULL`,
      [merchantId],
    );
    return rows[0]?.count ?? -1;
  };
  const invite = (name: string) => client.post(`${home}/team/invitations`, { name, role: 'support' });

  const token = await client.token();
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      client.post(`${home}/team/invitations`, { name: `Guest ${at}`, role: 'support' }, token),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    303, 303, 409, 409, 409, 409,
  ]);
  expect(await open()).toBe(50);
  const { status, text } = await invite('One more');
  expect(status).toBe(409);
  expect(text).toContain(texts.team.tooManyInvitations(50));

  // Another merchant has no open invitation.
  const other = await DashboardClient.by(world, await ownerLink(world, await world.merchant()));
  expect((await other.post(`${home}/team/invitations`, { name: 'Guest', role: 'support' })).status).toBe(303);
  // A used invitation is no longer open, and neither is an expired one.
  await DashboardClient.by(world, links[0] ?? '');
  expect((await invite('In its place')).status).toBe(303);
  expect((await invite('One more')).status).toBe(409);
  await world.database.query(
    `UPDATE sign_in_links SET expires_at = now() WHERE id = (
       SELECT id FROM sign_in_links WHERE merchant_id = $1 AND role IS NOT NULL AND used_at IS NULL LIMIT 1)`,
    [merchantId],
  );
  expect((await invite('After one is over')).status).toBe(303);
  expect(await open()).toBe(50);
});

it('an invitation stays usable while the team is full, and works once there is room', async () => {
  const merchantId = await world.merchant();
  await DashboardClient.by(world, await ownerLink(world, merchantId));
  const link = await invitationLink(world, merchantId, 'support');
  await world.database.query(
    `INSERT INTO members (id, merchant_id, name, role, created_at)
     SELECT gen_random_uuid(), $1, 'Member ' || n, 'readOnly', now() FROM generate_series(2, $2::int) AS n`,
    [merchantId, maxMembers],
  );
  const open = () => new DashboardClient(world).get(new URL(link).pathname);
  for (let time = 0; time < 2; time += 1) {
    const { status, text } = await open();
    expect([status, text]).toEqual([409, expect.stringContaining(texts.signIn.teamFullTitle)]);
  }
  await world.database.query(
    `UPDATE members SET removed_at = now() WHERE merchant_id = $1 AND name = 'Member 7'`,
    [merchantId],
  );
  expect((await open()).status).toBe(303);
  expect((await open()).status).toBe(410);
});
