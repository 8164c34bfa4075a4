import { setMemberEmail } from '../../../src/db/members/member-emails.ts';
import { listMembers } from '../../../src/db/members/members.ts';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { DashboardClient, ownerLink } from '../../support/dashboard.ts';
import { type MailServerStandIn, startMailServer, type TakenMail } from '../../support/mail-server.ts';
import { setMail } from '../../support/mail-world.ts';
import { dataOf, keyed, paidPayment } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { until } from '../../support/simulators.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let server: MailServerStandIn;
beforeAll(async () => {
  server = await startMailServer();
  world = await createWorld({}, { webhooks: true });
});
afterAll(async () => {
  await world.close();
  await server.close();
});

const home = '/dashboard/sandbox';
const untilMailed = (to: string, before = 0): Promise<TakenMail> =>
  until(async () => server.taken.filter((mail) => mail.to === to)[before]);
const linkIn = (mail: TakenMail): string =>
  /https?:\/\/\S+\/dashboard\/link\/[\w-]{43}/.exec(mail.raw.replaceAll('=\r\n', ''))?.[0] ?? '';

/** Requests a sign-in link, like a visitor of the sign-in page. */
async function askForLink(visitor: DashboardClient, email: string) {
  const page = await visitor.get('/dashboard/sign-in');
  const token = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const { status, location } = await visitor.send('/dashboard/sign-in/link', { email }, {}, token);
  return { status, location };
}

/** Creates a merchant with a mail server. Returns its owner's browser and member id. */
async function openTeam(email: string) {
  const merchantId = await world.merchant();
  await setMail(world, merchantId, server.url);
  await DashboardClient.by(world, await ownerLink(world, merchantId));
  const [member] = await listMembers(world.database, merchantId);
  await setMemberEmail(world.database, merchantId, member?.id ?? '', email, byOperator());
  // Setting another address ended the session.
  const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
  return { merchantId, owner, memberId: member?.id ?? '' };
}

it('an invitation goes to its address, and its link makes the member', async () => {
  const { owner, merchantId } = await openTeam('owner-1@shop.example');
  const invited = { name: 'Eve', email: 'eve@shop.example', role: 'support' };
  const page = await owner.follow(await owner.send(`${home}/team/invitations`, invited));
  expect(page.text).toContain(texts.team.invitationMailed('eve@shop.example'));
  const mail = await untilMailed('eve@shop.example');
  expect(mail.headers['subject']).toBe('Join the dashboard of Test shop');
  await DashboardClient.by(world, linkIn(mail));
  expect((await listMembers(world.database, merchantId)).map(({ name }) => name)).toContain('Eve');
  // The link is in the row only while the mail waits.
  const { rows } = await world.database.query(
    `SELECT FROM mails WHERE merchant_id = $1 AND (recipient IS NOT NULL OR content_sealed IS NOT NULL)
       AND status = 'sent'`,
    [merchantId],
  );
  expect(rows).toEqual([]);
});

it('a sign-in link goes to the address of a member, and to no other, with the same answer', async () => {
  const { merchantId, memberId } = await openTeam('owner-2@shop.example');
  const visitor = new DashboardClient(world);
  const askFor = (email: string) => askForLink(visitor, email);
  const known = await askFor('Owner-2@shop.example');
  expect(await askFor('stranger@shop.example')).toEqual(known);
  expect(await askFor('not an address')).toEqual(known);
  expect(known).toEqual({ status: 303, location: '/dashboard/sign-in?done=linkSent' });
  const mail = await untilMailed('owner-2@shop.example');
  // A second link is not sent right after the first.
  await askFor('owner-2@shop.example');
  const { rows } = await world.database.query<{ links: number; minutes: number }>(
    `SELECT count(*)::int AS links, round(extract(epoch FROM max(expires_at - created_at)) / 60)::int AS minutes
     FROM sign_in_links WHERE member_id = $1 AND used_at IS NULL`,
    [memberId],
  );
  expect(rows).toEqual([{ links: 1, minutes: 15 }]);
  await DashboardClient.by(world, linkIn(mail));
  expect(server.taken.filter(({ to }) => to === 'stranger@shop.example')).toEqual([]);
  expect(merchantId).not.toBe('');
});

it('a mailed link does not confirm a member who has a passkey or a password', async () => {
  const { memberId } = await openTeam('owner-3@shop.example');
  await world.database.query(`UPDATE members SET login = 'owner-3' WHERE id = $1`, [memberId]);
  const visitor = new DashboardClient(world);
  await askForLink(visitor, 'owner-3@shop.example');
  const client = await DashboardClient.by(world, linkIn(await untilMailed('owner-3@shop.example')));
  const { location } = await client.send(`${home}/settings/methods`, { methods: 'card' });
  expect(location).toContain('/confirm');
});

it('members who may act on it are notified of a failing endpoint, once', async () => {
  const { merchantId } = await openTeam('owner-4@shop.example');
  await world.database.query(
    `INSERT INTO members (id, merchant_id, name, role, created_at, email)
     VALUES (gen_random_uuid(), $1, 'Reader', 'readOnly', now(), 'reader-4@shop.example')`,
    [merchantId],
  );
  await world.database.query(
    `UPDATE mail_settings SET set_at = now() - interval '1 day' WHERE merchant_id = $1`,
    [merchantId],
  );
  await world.database.query(
    `INSERT INTO webhook_endpoints (id, merchant_id, environment, url, secret_sealed, failing_since, created_at, updated_at)
     VALUES (gen_random_uuid(), $1, 'sandbox', 'https://shop.example/hooks?secret=s3cret', '', now() - interval '2 hours',
       now(), now())`,
    [merchantId],
  );
  const mail = await untilMailed('owner-4@shop.example');
  expect(mail.headers['subject']).toBe('A webhook endpoint is failing');
  expect(mail.raw).not.toContain('s3cret');
  const { rows } = await world.database.query<{ kind: string }>(
    `SELECT kind FROM mails WHERE merchant_id = $1`,
    [merchantId],
  );
  expect(rows).toEqual([{ kind: 'endpoint' }]);
  expect(server.taken.filter(({ to }) => to === 'reader-4@shop.example')).toEqual([]);
});

it('members who may respond are notified of a new dispute, once', async () => {
  const { merchantId } = await openTeam('owner-5@shop.example');
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  const id = await paidPayment(shop, undefined, { reference: 'order-55' });
  dataOf(await keyed(shop, `/v1/sandbox/payments/${id}/disputes`, { reason: 'fraudulent' }));
  const mail = await untilMailed('owner-5@shop.example');
  expect(mail.headers['subject']).toBe('New dispute: $25.00');
  expect(mail.raw).toContain('order-55');
});

it('without any mail server the sign-in page offers no mail', async () => {
  await world.database.query('DELETE FROM mail_settings');
  const { text } = await new DashboardClient(world).get('/dashboard/sign-in');
  expect(text).not.toContain(texts.signIn.mailLink);
});
