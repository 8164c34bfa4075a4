import { shortReference } from '../../../src/domain/short-reference.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { type MailServerStandIn, startMailServer } from '../../support/mail-server.ts';
import { openMailingShop, payOne, sender } from '../../support/mail-world.ts';
import { until } from '../../support/simulators.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let server: MailServerStandIn;
beforeAll(async () => {
  server = await startMailServer();
  world = await createWorld(
    { RATE_LIMITS: 'sandbox.all=1000,sandbox.create=1000,receipt.payment=0.001/2' },
    { webhooks: true },
  );
});
afterAll(async () => {
  await world.close();
  await server.close();
});
beforeEach(() => {
  server.refuse = () => null;
});

const mailsTo = (to: string) => server.taken.filter((mail) => mail.to === to);
const untilMailed = (to: string) => until(async () => mailsTo(to)[0]);
const statusOf = async (paymentId: string) => {
  const { rows } = await world.database.query<{ status: string; problem: string | null; tries: number }>(
    `SELECT status, problem, tries FROM mails WHERE payment_id = $1 AND kind = 'receipt'`,
    [paymentId],
  );
  return rows;
};

/** Waits until the outbox marks the mail as sent too, which follows the server's acceptance. */
const untilSent = (paymentId: string) =>
  until(async () => (await statusOf(paymentId)).find(({ status }) => status === 'sent'));

describe('a receipt', () => {
  it('states what was bought, and comes from the merchant in the language of the payment', async () => {
    const { shop, merchantId } = await openMailingShop(world, server.url);
    const id = await payOne(shop, {
      customer: { email: 'ana@customer.example', name: 'Ana' },
      locale: 'pt',
      reference: 'pedido-7',
      description: 'Café <b>especial</b>',
      lineItems: [{ name: '<script>alert(1)</script>', quantity: 2, amountCents: 2_500 }],
    });
    const { raw, headers, from } = await untilMailed('ana@customer.example');
    const plain = decoded(raw, 'text/plain');
    const html = decoded(raw, 'text/html');
    expect(from).toBe(sender);
    expect(headers).toMatchObject({
      from: `Test shop <${sender}>`,
      to: 'ana@customer.example',
      'auto-submitted': 'auto-generated',
    });
    expect(headers['message-id']).toMatch(/^<[0-9a-f-]{36}@shop\.example>$/);
    for (const part of [
      'Seu comprovante',
      'Pagamento de teste',
      'pedido-7',
      shortReference(id),
      'Visa ···· 4242',
    ]) {
      expect(plain).toContain(part);
      expect(html).toContain(part);
    }
    expect(plain).toContain('<script>alert(1)</script> × 2');
    expect(html).toContain('&lt;script>alert(1)&lt;/script> × 2');
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<b>');
    await untilSent(id);
    const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
    expect((await owner.get(`/dashboard/sandbox/payments/${id}`)).text).toContain('E-mailed <time');
  });

  it('goes out once, also when its event is read again', async () => {
    const { shop, merchantId } = await openMailingShop(world, server.url);
    const id = await payOne(shop, { customer: { email: 'once@customer.example' } });
    await untilSent(id);
    await world.database.query('UPDATE mail_settings SET event_position = 0 WHERE merchant_id = $1', [
      merchantId,
    ]);
    const second = await payOne(shop, { customer: { email: 'after@customer.example' } });
    await untilSent(second);
    expect(await statusOf(id)).toHaveLength(1);
    expect(mailsTo('once@customer.example')).toHaveLength(1);
  });
});

describe('a receipt that is sent again', () => {
  const keyOn = (page: string) =>
    /\/receipt"[\s\S]*?name="key" value="([0-9a-f-]{36})"/.exec(page)?.[1] ?? '';

  it('goes out once for each press, by members who may, within its limit and in the audit log', async () => {
    const { shop, merchantId } = await openMailingShop(world, server.url);
    const to = 'again@customer.example';
    const id = await payOne(shop, { customer: { email: to } });
    await untilSent(id);
    const path = `/dashboard/sandbox/payments/${id}`;
    const support = await joined(merchantId, 'support');
    const press = async (key?: string) =>
      support.post(`${path}/receipt`, { key: key ?? keyOn((await support.get(path)).text) });
    const key = keyOn((await support.get(path)).text);
    expect((await press(key)).location).toBe(`${path}?done=receiptQueued`);
    await until(async () => (await statusOf(id)).every(({ status }) => status === 'sent') || undefined);
    // A form that was already submitted adds nothing, and does not count for the limit.
    expect((await press(key)).status).toBe(303);
    expect(await statusOf(id)).toHaveLength(2);
    expect((await press()).status).toBe(303);
    await until(async () => mailsTo(to)[2]);
    await until(async () => (await statusOf(id)).every(({ status }) => status === 'sent') || undefined);
    const tooOften = await press();
    expect([tooOften.status, tooOften.text]).toEqual([429, expect.stringContaining('Too many receipts')]);
    expect(mailsTo(to)).toHaveLength(3);
    expect(new Set(mailsTo(to).map(({ headers }) => headers['message-id'])).size).toBe(3);
    const { rows } = await world.database.query<{ subject: string }>(
      `SELECT subject_id AS subject FROM audit_entries WHERE merchant_id = $1 AND action = 'receipt.resent'`,
      [merchantId],
    );
    expect(rows).toEqual([{ subject: id }, { subject: id }]);
    const reader = await joined(merchantId, 'readOnly');
    expect(keyOn((await reader.get(path)).text)).toBe('');
    expect((await reader.post(`${path}/receipt`, { key })).status).toBe(403);
  });

  it('is offered for a paid payment with an address, and listed among what was not sent', async () => {
    const { shop, merchantId } = await openMailingShop(world, server.url);
    const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const pageOf = (id: string) => `/dashboard/sandbox/payments/${id}`;
    const without = await payOne(shop, {});
    const open = await shop.customPayment({ customer: { email: 'open@customer.example' } });
    for (const id of [without, open]) {
      expect(keyOn((await owner.get(pageOf(id))).text)).toBe('');
      const refused = await owner.post(`${pageOf(id)}/receipt`, { key: crypto.randomUUID() });
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('Receipts need a paid')]);
    }
    const id = await payOne(shop, { customer: { email: 'aside@customer.example' } });
    await untilSent(id);
    await world.database.query(
      "UPDATE mails SET status = 'aside', problem = 'recipient', reply_code = 550 WHERE payment_id = $1",
      [id],
    );
    const settings = '/dashboard/sandbox/settings';
    const key = keyOn((await owner.get(settings)).text);
    const press = () => owner.post(`${pageOf(id)}/receipt`, { key });
    const answers = await Promise.all([press(), press()]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect(await statusOf(id)).toHaveLength(2);
    await until(async () => mailsTo('aside@customer.example')[1]);
    // The newer receipt replaced it.
    expect(keyOn((await owner.get(settings)).text)).toBe('');
  });
});

/** Returns a browser of a new member with the role. */
const joined = async (merchantId: string, role: 'support' | 'readOnly'): Promise<DashboardClient> =>
  DashboardClient.by(world, await invitationLink(world, merchantId, role));

/** Returns the decoded part of a message. */
function decoded(raw: string, type: string): string {
  const part = raw.split(/\r\n--[^\r\n]+/).find((one) => one.includes(`Content-Type: ${type}`)) ?? '';
  const [head = '', ...body] = part.split('\r\n\r\n');
  const text = body.join('\r\n\r\n');
  if (/base64/i.test(head)) return Buffer.from(text, 'base64').toString('utf8');
  if (!/quoted-printable/i.test(head)) return text;
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
