import { shortReference } from '../../../src/domain/short-reference.ts';
import { DashboardClient, ownerLink } from '../../support/dashboard.ts';
import { type MailServerStandIn, startMailServer } from '../../support/mail-server.ts';
import { openMailingShop, payOne, sender } from '../../support/mail-world.ts';
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

/** Sent in the outbox too, not only taken by the server. */
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
      'Seu recibo',
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
