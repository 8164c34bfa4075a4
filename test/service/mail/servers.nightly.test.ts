import { loadMailSettings, removeMailSettings } from '../../../src/db/mail/mail-settings.ts';
import { dueMailServers, leaseMail, readOutbox, recordMailRefused } from '../../../src/db/mail/mails.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { type MailServerStandIn, startMailServer } from '../../support/mail-server.ts';
import { openMailingShop, payOne, setMail } from '../../support/mail-world.ts';
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
beforeEach(() => {
  server.refuse = () => null;
});

const mailsTo = (to: string) => server.taken.filter((mail) => mail.to === to);
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
  it('is not written without an address, without a mail server, and for what was paid before it', async () => {
    const merchantId = await world.merchant();
    const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    const before = await payOne(shop, { customer: { email: 'early@customer.example' } });
    await setMail(world, merchantId, server.url);
    const nameless = await payOne(shop, {});
    const last = await payOne(shop, { customer: { email: 'late@customer.example' } });
    await untilSent(last);
    expect(await statusOf(before)).toEqual([]);
    expect(await statusOf(nameless)).toEqual([]);
  });

  it('with signs of other headers or commands in its address or names is put aside or made harmless', async () => {
    const { shop, merchantId } = await openMailingShop(world, server.url);
    await world.database.query('UPDATE merchants SET name = $2 WHERE id = $1', [
      merchantId,
      'Shop"\r\nBcc: evil@customer.example',
    ]);
    const hostile = await payOne(shop, {
      customer: { email: '<evil@customer.example>,x@customer.example'.slice(1) },
    }).catch(() => null);
    const aside = await payOne(shop, { customer: { email: 'a>b,c@customer.example' } });
    const good = await payOne(shop, { customer: { email: 'good@customer.example' } });
    await untilSent(good);
    await until(async () => (await statusOf(aside)).find(({ status }) => status === 'aside'));
    expect(hostile).toBeNull();
    const [taken] = mailsTo('good@customer.example');
    expect(Object.keys(taken?.headers ?? {})).not.toContain('bcc');
    expect(server.taken.filter(({ to }) => to.includes('evil'))).toEqual([]);
  });
});

describe('a mail server', () => {
  it('that refuses the login keeps all mails waiting, says why, and gets them once it is mended', async () => {
    const wrong = server.url.replace(/:[^:@/]*@/, ':wrong@');
    const { shop, merchantId } = await openMailingShop(world, wrong);
    const tenant = { merchantId, environment: 'sandbox' } as const;
    const id = await payOne(shop, { customer: { email: 'waits@customer.example' } });
    const failing = await until(async () => {
      const settings = await loadMailSettings(world.database, tenant);
      return settings?.problem ? settings : null;
    });
    expect(failing).toMatchObject({ problem: 'login', replyCode: 535 });
    expect((await readOutbox(world.database, tenant)).waiting).toBe(1);
    await setMail(world, merchantId, server.url);
    await untilSent(id);
    expect(await loadMailSettings(world.database, tenant)).toMatchObject({ problem: null, failures: 0 });
    expect(world.logs.join('\n')).not.toContain('wrong@');
  });

  it('gets each mail from one process at a time; what a dead one left is sent after its lease', async () => {
    const { shop, merchantId } = await openMailingShop(world, server.url);
    const tenant = { merchantId, environment: 'sandbox' } as const;
    // No worker calls the server while it waits for its next try.
    await world.database.query(
      `UPDATE mail_settings SET next_try_at = now() + interval '1 hour' WHERE merchant_id = $1`,
      [merchantId],
    );
    const id = await payOne(shop, { customer: { email: 'leased@customer.example' } });
    await until(async () => (await statusOf(id))[0]);
    const leases = await Promise.all(Array.from({ length: 8 }, () => leaseMail(world.database, tenant)));
    expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
    expect(await dueMailServers(world.database, false, 100)).not.toContainEqual(tenant);
    await world.database.query(`UPDATE mails SET leased_until = now() WHERE payment_id = $1`, [id]);
    await world.database.query('UPDATE mail_settings SET next_try_at = now() WHERE merchant_id = $1', [
      merchantId,
    ]);
    await untilSent(id);
    expect(mailsTo('leased@customer.example')).toHaveLength(1);
    // The lost process returns, and its late report changes nothing.
    const [late] = leases.filter((lease) => lease !== null);
    if (late) await recordMailRefused(world.database, late, { problem: 'content', replyCode: 550 }, null);
    expect(await statusOf(id)).toMatchObject([{ status: 'sent', problem: null }]);
  });

  it('that cannot be used for a day, or is removed, has its mails put aside with a reason', async () => {
    const { shop, merchantId } = await openMailingShop(world, server.url.replace(/:[^:@/]*@/, ':wrong@'));
    const tenant = { merchantId, environment: 'sandbox' } as const;
    const old = await payOne(shop, { customer: { email: 'old@customer.example' } });
    const young = await payOne(shop, { customer: { email: 'young@customer.example' } });
    await until(async () => (await statusOf(young))[0]);
    await world.database.query(
      `UPDATE mails SET created_at = now() - interval '25 hours' WHERE payment_id = $1`,
      [old],
    );
    await until(async () => (await statusOf(old)).find(({ status }) => status === 'aside'));
    await removeMailSettings(world.database, tenant, byOperator());
    const { waiting, aside } = await readOutbox(world.database, tenant);
    expect(waiting).toBe(0);
    expect(new Set(aside.map(({ problem }) => problem))).toEqual(new Set(['removed', 'tooOld']));
  });

  it('that refuses one receiver still gets the others, and the refused mail is tried again', async () => {
    const { shop } = await openMailingShop(world, server.url);
    let refusals = 0;
    server.refuse = (step, address) => {
      if (step !== 'to' || address !== 'full@customer.example') return null;
      refusals += 1;
      return { code: 452, text: 'Mailbox full' };
    };
    const full = await payOne(shop, { customer: { email: 'full@customer.example' } });
    const other = await payOne(shop, { customer: { email: 'other@customer.example' } });
    await untilSent(other);
    await until(async () => refusals > 0);
    expect(await statusOf(full)).toMatchObject([{ status: 'waiting', problem: 'recipient' }]);
    server.refuse = () => null;
    await world.database.query(`UPDATE mails SET due_at = now() WHERE payment_id = $1`, [full]);
    await untilSent(full);
  });
});
