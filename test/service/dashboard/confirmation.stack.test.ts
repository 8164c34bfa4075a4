import { texts } from '../../../src/dashboard/texts/en.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { idOf, keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let merchantId: string;
let client: DashboardClient;
let places: Record<string, string>;
beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '3600' }, { webhooks: true });
  merchantId = await world.merchant({ sandbox: { customMode: true, customActions: true, refundLate: true } });
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  client = await DashboardClient.by(world, await ownerLink(world, merchantId));
  await client.post(`${home}/developers/keys`, { name: 'Backend' });
  await client.post(`${home}/webhooks`, { url: 'https://shop.example/hooks', events: '' });
  await DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
  await client.post(`${home}/team/invitations`, { name: 'Guest', role: 'readOnly' });
  const paymentId = await paidPayment(shop);
  const refunded = await refund(shop, paymentId, { amountCents: 100 });
  const dispute = await keyed(shop, `/v1/sandbox/payments/${paymentId}/disputes`, { reason: 'fraudulent' });
  await client.post(`${home}/disputes/${idOf(dispute)}/evidence`, { 'evidence.refundPolicy': 'None.' });
  places = {
    key: await idBy(`SELECT id FROM api_keys WHERE name = 'Backend' AND merchant_id = $1`),
    endpoint: await idBy('SELECT id FROM webhook_endpoints WHERE merchant_id = $1'),
    member: await idBy(`SELECT id FROM members WHERE merchant_id = $1 AND role = 'support'`),
    invitation: await idBy(`SELECT id FROM sign_in_links WHERE merchant_id = $1 AND name = 'Guest'`),
    passkey: await idBy(
      `INSERT INTO member_passkeys (id, member_id, public_key, counter, transports, name, created_at)
       SELECT 'pk-1_x', id, '', 0, '{}', 'Laptop', now() FROM members WHERE merchant_id = $1 AND role = 'owner'
       RETURNING id`,
    ),
    refund: idOf(refunded),
    payment: paymentId,
    dispute: idOf(dispute),
  };
});
afterAll(() => world.close());

const home = '/dashboard/sandbox';

async function idBy(sql: string): Promise<string> {
  const { rows } = await world.database.query<{ id: string }>(sql, [merchantId]);
  return rows[0]?.id ?? '';
}

/** Sets the owner's last confirmation to some minutes ago. */
const confirmAgo = (minutes: number): Promise<unknown> =>
  world.database.query(
    `UPDATE member_sessions SET confirmed_at = now() - $2 * interval '1 minute'
     WHERE member_id = (SELECT id FROM members WHERE merchant_id = $1 AND role = 'owner')`,
    [merchantId, minutes],
  );
const confirmNow = () => confirmAgo(0);

/** Returns a path with each `:name` replaced by an id of this merchant. */
const at = (path: string): string =>
  path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(places[name] ?? ''));
const posted = (text: string): string[] =>
  [...text.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, to = '']) => to);

describe('an irreversible action', () => {
  it.each([
    ['/developers', 'ask=revoke&id=:key', '/developers/keys/:key/revoke', 'Revoke Backend?'],
    ['/developers', 'ask=roll&id=:key', '/developers/keys/:key/roll', 'Roll Backend?'],
    ['/webhooks/:endpoint', 'ask=rotate', '/webhooks/:endpoint/rotate', 'Rotate the secret?'],
    ['/webhooks/:endpoint', 'ask=disable', '/webhooks/:endpoint/disable', 'Disable this endpoint?'],
    ['/webhooks/:endpoint', 'ask=delete', '/webhooks/:endpoint/delete', 'Delete this endpoint?'],
    ['/team', 'ask=remove-member&id=:member', '/team/:member/remove', 'Remove The support?'],
    [
      '/team',
      'ask=cancel-invitation&id=:invitation',
      '/team/invitations/:invitation/cancel',
      'Cancel the invitation for Guest?',
    ],
    ['/team', 'ask=remove-passkey&id=:passkey', '/team/passkeys/remove', 'Remove the passkey Laptop?'],
    ['/settings', 'ask=custom-mode-off', '/settings/custom-mode', 'Turn off custom mode?'],
    ['/settings', 'ask=custom-actions-off', '/settings/custom-actions', 'Turn off custom actions?'],
    [
      '/settings',
      'ask=refund-late-off',
      '/settings/refund-late',
      'Stop refunding late payments automatically?',
    ],
    ['/refunds', 'ask=cancel-refund&id=:refund', '/refunds/:refund/cancel', 'Cancel the refund of $1.00?'],
    [
      '/payments/:payment',
      'ask=cancel-refund&id=:refund',
      '/refunds/:refund/cancel',
      'Cancel the refund of $1.00?',
    ],
    ['/disputes/:dispute', 'answer=submit', '/disputes/:dispute/submit', 'Submit the evidence?'],
    ['/disputes/:dispute', 'answer=accept', '/disputes/:dispute/accept', 'Accept the dispute?'],
  ])('is confirmed on a page that needs no script: %s?%s', async (path, query, to, question) => {
    const page = `${home}${at(path)}`;
    const plain = await client.get(page);
    expect(posted(plain.text)).not.toContain(home + at(to));
    expect(plain.text).toContain(`href="${page}?${at(query).replaceAll('&', '&amp;')}#asking"`);
    const asked = await client.get(`${page}?${at(query)}`);
    expect(asked.text).toContain(`>${question}</h3>`);
    expect(posted(asked.text)).toContain(home + at(to));
    expect(asked.text).toContain(`href="${page}" data-testid="asking-no"`);
  });

  it('is not offered for unknown objects, nor to members without the permission', async () => {
    for (const query of ['ask=revoke&id=nothing', 'ask=remove-member', 'ask=constructor&id=x']) {
      for (const path of ['/developers', '/team']) {
        expect((await client.get(`${home}${path}?${query}`)).text).not.toContain('id="asking"');
      }
    }
    const guest = await DashboardClient.by(world, await invitationLink(world, merchantId, 'readOnly'));
    for (const [path, query] of [
      ['/developers', 'ask=revoke&id=:key'],
      ['/webhooks/:endpoint', 'ask=delete'],
      ['/team', 'ask=remove-member&id=:member'],
      ['/settings', 'ask=custom-mode-off'],
      ['/refunds', 'ask=cancel-refund&id=:refund'],
    ] as const) {
      expect((await guest.get(`${home}${at(path)}?${at(query)}`)).text).not.toContain('id="asking"');
    }
  });

  it('is resumed after re-authentication', async () => {
    await confirmAgo(11);
    const page = `${home}/developers?done=keyRevoked&ask=revoke&id=${places['key']}`;
    const answer = await client.post(at(`${home}/developers/keys/:key/revoke`), {}, undefined, {
      referer: client.origin + page,
    });
    const { searchParams } = new URL(answer.location ?? '', client.origin);
    expect(searchParams.get('back')).toBe(`${home}/developers?ask=revoke&id=${places['key']}`);
    const to = searchParams.get('to') ?? '';
    // Nothing is submitted before the confirmation.
    expect((await client.get(to)).location).toMatch(`${home}/confirm?`);
    const revoked = () => idBy(`SELECT id FROM api_keys WHERE merchant_id = $1 AND revoked_at IS NOT NULL`);
    expect(await revoked()).toBe('');
    await confirmNow();
    const done = await client.get(to);
    expect(done.location).toBe(`${home}/developers?done=keyRevoked`);
    expect(await revoked()).toBe(places['key']);
    const again = await client.get(to);
    expect([again.status, again.text]).toEqual([200, expect.stringContaining(texts.signIn.continuedTitle)]);
  });

  it('keeps what was typed, and only for its own member', async () => {
    await confirmAgo(11);
    const asked = await client.post(`${home}/developers/keys`, { name: 'Kept "key" & more' });
    const { searchParams } = new URL(asked.location ?? '', client.origin);
    const to = searchParams.get('to') ?? '';
    const { rows } = await world.database.query<{ content: string }>(
      `SELECT encode(content_sealed, 'escape') AS content FROM member_kept_pages WHERE kind = 'form'`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { content } of rows) expect(content).not.toContain('Kept');
    const stranger = await DashboardClient.by(world, await invitationLink(world, merchantId, 'developer'));
    expect((await stranger.get(to)).text).toContain(texts.signIn.continuedTitle);
    await confirmNow();
    expect((await client.get(to)).location).toBe(`${home}/developers`);
    expect((await client.get(`${home}/developers`)).text).toContain('Kept &quot;key&quot; &amp; more');
  });

  it('is foreseen by the script, which asks before it sends a form, and nothing is done then', async () => {
    const ask = async (path: string, fields: Record<string, string> = {}) => {
      const { status, text } = await client.send(home + path, fields, { 'x-ask-first': '1' });
      return [status, text];
    };
    const path = at('/developers/keys/:key/roll');
    await confirmAgo(11);
    expect(await ask(path)).toEqual([200, '{"confirm":true}']);
    // This form needs no recent confirmation.
    expect(await ask('/settings/time-zone', { timeZone: 'UTC' })).toEqual([200, '{"confirm":false}']);
    // A refund needs one from a sum in a day on, which the script sends along.
    const refundPath = at('/payments/:payment/refunds');
    expect(await ask(refundPath, { amount: '999.99' })).toEqual([200, '{"confirm":false}']);
    expect(await ask(refundPath, { amount: '1000' })).toEqual([200, '{"confirm":true}']);
    expect(await ask(refundPath, { amount: 'much' })).toEqual([200, '{"confirm":false}']);
    await confirmNow();
    expect(await ask(refundPath, { amount: '1000' })).toEqual([200, '{"confirm":false}']);
    const keys = () => idBy('SELECT count(*) AS id FROM api_keys WHERE merchant_id = $1');
    const before = await keys();
    expect(await ask(path)).toEqual([200, '{"confirm":false}']);
    expect(await keys()).toBe(before);
    const guest = await DashboardClient.by(world, await invitationLink(world, merchantId, 'readOnly'));
    expect((await guest.post(home + path, {}, undefined, { 'x-ask-first': '1' })).status).toBe(403);
    expect((await client.post(home + path, {}, null, { 'x-ask-first': '1' })).status).toBe(403);
  });

  it('does not keep a form that holds a password', async () => {
    await confirmAgo(11);
    const asked = await client.post(`${home}/team/password`, { login: 'ada', password: 'canary-password' });
    expect(asked.location).not.toContain('continue');
    await confirmNow();
  });
});

describe('a refused form', () => {
  const refuse = (headers: Record<string, string> = {}) =>
    client.send(`${home}/webhooks`, { url: 'ftp://shop.example', events: '' }, headers);

  it('is answered by a page at its own address where the environment is unknown', async () => {
    const answer = await client.send('/dashboard/..%2f/webhooks', { url: 'ftp://shop.example' });
    expect([answer.status, answer.location]).toEqual([404, null]);
  });

  it('is answered by a redirect to a page, which a reload and Back show again', async () => {
    const refused = await refuse({ referer: `${client.origin}${home}/webhooks?done=endpointDeleted` });
    expect(refused.status).toBe(303);
    expect(refused.location).toMatch(new RegExp(`^${home}/webhooks\\?answer-id=[0-9a-f-]{36}$`));
    for (const page of [await client.follow(refused), await client.follow(refused)]) {
      expect(page.status).toBe(422);
      expect(page.text).toContain('value="ftp://shop.example"');
      expect(page.text).toContain('role="alert"');
    }
  });

  it('shows the page itself to another member, and once it is over', async () => {
    const { location } = await refuse({ referer: `${client.origin}${home}/webhooks` });
    const stranger = await DashboardClient.by(world, await invitationLink(world, merchantId, 'developer'));
    const shown = async (by: DashboardClient) => (await by.get(location ?? '')).text.includes('ftp://shop');
    expect([await shown(client), await shown(stranger)]).toEqual([true, false]);
    await world.database.query(
      `UPDATE member_kept_pages SET created_at = created_at - interval '2 hours' WHERE kind = 'answer'`,
    );
    expect(await shown(client)).toBe(false);
  });

  it('leaves at most 12 pages of a member', async () => {
    for (let made = 0; made < 14; made += 1) await refuse();
    const { rows } = await world.database.query(
      `SELECT FROM member_kept_pages k JOIN members m ON m.id = k.member_id
       WHERE m.merchant_id = $1 AND m.role = 'owner' AND kind = 'answer'`,
      [merchantId],
    );
    expect(rows).toHaveLength(12);
  });
});

describe('a field that is rejected', () => {
  /** Returns the tag of the input with an id. */
  const inputOf = (html: string, id: string): string =>
    new RegExp(`<(?:input|textarea|select)[^>]* id="${id}"[^>]*>`).exec(html)?.[0] ?? '';

  it.each([
    ['/webhooks', 'endpoint-url', { url: 'ftp://shop.example', events: 'payment.paid' }, 'endpoint-events'],
    ['/webhooks', 'endpoint-events', { url: 'https://shop.example', events: 'no.such' }, 'endpoint-url'],
    ['/developers/keys', 'refund-cap', { name: 'Kept', refundCap: 'much', allowFrom: '' }, 'key-name'],
    ['/developers/keys', 'allow-from', { name: 'Kept', refundCap: '5', allowFrom: 'x' }, 'refund-cap'],
    ['/developers/faults', 'fault-count', { target: 'vault', mode: 'slow', count: '0' }, null],
    ['/team/invitations', 'invite-name', { name: ' ', role: 'support' }, null],
    ['/settings/origins', 'origins', { origins: 'shop example' }, null],
    ['/settings/time-zone', 'time-zone', { timeZone: 'Mars/Olympus' }, null],
    ['/settings/declines', 'declinesPerMerchant', { declinesPerMerchant: 'x' }, null],
    ['/settings/refund-approval', 'refundApproval', { refundApproval: 'much' }, null],
    ['/settings/mail', 'mail-from', { url: 'smtp://localhost:1', from: 'x' }, null],
    ['/branding', 'branding-accent', { displayName: 'Kept', accent: 'red-ish' }, 'branding-displayName'],
    ['/payment-links', 'link-amount', { amount: 'x', reference: 'Kept' }, 'link-reference'],
    ['/webhooks/:endpoint/replay', 'since', { since: '', until: '2030-01-01T10:00' }, 'until'],
  ])('is marked, described by its error and focused: %s %s', async (path, id, fields, other) => {
    const { status, text } = await client.post(home + at(path), fields);
    expect(status).toBeGreaterThanOrEqual(400);
    const input = inputOf(text, id);
    expect(input).toMatch(/ aria-invalid="true"/);
    expect(input).toMatch(/ autofocus/);
    expect(input).toMatch(new RegExp(` aria-describedby="${id}-error`));
    const summary = /class="alert notice bad" role="alert">([^<]+)</.exec(text)?.[1];
    expect(new RegExp(`id="${id}-error"[^>]*>([^<]+)<`).exec(text)?.[1]).toBe(summary);
    expect(text.split(' aria-invalid="true"')).toHaveLength(2);
    // The other fields of the form keep what was typed.
    const typed = Object.values(fields).find((value) => inputOf(text, other ?? '').includes(`"${value}"`));
    expect([other, typed !== undefined]).toEqual([other, other !== null]);
    expect(inputOf((await client.get(home + at(path).replace(/\/[a-z-]+$/, ''))).text, id)).not.toMatch(
      / aria-invalid/,
    );
  });

  it('never repeats a password or a code', async () => {
    const typed = { login: 'ada', password: 'canary-password', code: '123456', secret: 'A'.repeat(32) };
    const { text } = await client.post(`${home}/team/password`, { ...typed, password: 'canary-short' });
    expect(inputOf(text, 'login')).toContain('value="ada"');
    for (const secret of ['canary-short', '123456']) expect(text).not.toContain(secret);
  });
});
