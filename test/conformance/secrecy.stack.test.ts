import { randomBytes, randomUUID } from 'node:crypto';
import proto from '@temporalio/proto';
import type { Client } from '@temporalio/client';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { createTemporalClient } from '../../src/temporal/connection.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import { sendCard } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { Probe, refusal } from './judge.ts';
import { type Gate, accessOf, openApi, openGate } from './support.ts';

let world: World;
let gate: Gate;
let shop: Probe;
let temporal: Client;

/** Secrets of the protocol: clear nowhere but in the answers that hand them out. */
const secrets = new Map<string, string>();
/** Bodies' content: stored by design, but in no log and in no history. */
const contents = new Map<string, string>();
/** Payments the canaries went through. */
const payments: string[] = [];
/** Pages and refusals seen on the way. */
const shown: string[] = [];

const canary = (name: string) => `CANARY-${name}-${randomBytes(9).toString('hex')}`;

beforeAll(async () => {
  gate = await openGate();
  world = await createWorld({ VAULT_URL: gate.url });
  gate.target = world.vaultUrl;
  const merchant = await world.merchant({ sandbox: { customActions: true } });
  shop = new Probe(world.baseUrl, await world.key(merchant, 'sandbox'));
  temporal = createTemporalClient(
    world.settings,
    createDataConverter(createKeyring(world.settings.ENCRYPTION_KEYS)),
  );
  await walkEveryPath();
});
afterAll(async () => {
  await temporal.connection.close();
  await world.close();
  await gate.close();
});

/** Success, challenge, decline, 400, 422 and 503, each with canaries in everything a caller can send. */
async function walkEveryPath(): Promise<void> {
  for (const name of ['reference', 'metadataKey', 'metadataValue', 'customerName', 'successPath'])
    contents.set(name, canary(name));
  for (const name of ['documentNumber', 'phone']) secrets.set(name, canary(name));
  contents.set('email', `${canary('email')}@example.com`);
  secrets.set('apiKey', shop.key);
  const fields = {
    checkoutMode: 'custom',
    reference: contents.get('reference'),
    successUrl: `https://shop.example/${contents.get('successPath')}`,
    metadata: { [contents.get('metadataKey') ?? '']: contents.get('metadataValue') },
    customer: {
      name: contents.get('customerName'),
      email: contents.get('email'),
      documentNumber: secrets.get('documentNumber'),
      phone: secrets.get('phone'),
    },
  };
  for (const [round, number] of ['4242424242424242', '4000000000003220', '4000000000000002'].entries()) {
    const created = await shop.create(fields);
    const id = String(created.body.data?.['id']);
    payments.push(id);
    secrets.set(
      `checkoutUrl${round}`,
      new URL(String(created.body.data?.['checkoutUrl'])).pathname.split('/').at(-1) ?? '',
    );
    const access = accessOf(await shop.capture(id));
    secrets.set(`captureSecret${round}`, access.secret);
    const card = await sendCard(access, number);
    secrets.set(`cardToken${round}`, card.cardToken);
    // Refused first, in every way a token can be.
    const refused = canary(`refusedToken${round}`);
    secrets.set(`refusedToken${round}`, refused);
    const answers = [
      await shop.pay(id, { ...card, cardToken: refused }),
      await shop.call('POST', `/v1/payments/${id}/pay`, { ...card, odd: refused }),
      await shop.call('POST', `/v1/payments/${id}/pay`, `{"cardToken":"${refused}`),
      await shop.create({ ...fields, locale: contents.get('reference') }),
    ];
    gate.closed = true;
    answers.push(await shop.pay(id, card));
    gate.closed = false;
    expect(answers.map(({ status }) => status)).toEqual([422, 400, 400, 422, 503]);
    shown.push(...answers.map(({ text }) => text));
    const paid = await shop.pay(id, card);
    const clientSecret: unknown = paid.body.data?.['clientSecret'];
    if (typeof clientSecret === 'string') {
      secrets.set('clientSecret', clientSecret);
      const actionUrl = String((await shop.checkout(id))['actionUrl']);
      secrets.set('actionUrl', new URL(actionUrl).pathname.split('/').at(-1) ?? '');
      for (const url of [actionUrl, `${actionUrl}/return`, String(created.body.data?.['checkoutUrl'])]) {
        const page = await fetch(url, { redirect: 'manual' });
        shown.push(await page.text(), JSON.stringify([...page.headers]));
      }
    }
    for (const path of [`/${id}`, `/${id}/checkout`, '?perPage=100']) {
      shown.push((await shop.call('GET', `/v1/payments${path}`)).text);
    }
  }
  await shop.call('GET', `/v1/payments/${secrets.get('cardToken0')}`);
  await shop.call('GET', `/v1/payments?status=${secrets.get('cardToken0')}`);
}

/** A secret as it may be written down: raw, base64 at any alignment, hex, URL-escaped. */
function spellings(text: string): string[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // The first and last characters depend on what stands beside it.
    return encoded.slice(shift === 0 ? 0 : shift + 1, -2);
  });
  return [
    text,
    ...base64,
    ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
    encodeURIComponent(text),
  ];
}

/** Names of what was found, never the value itself. */
function found(haystack: string, needles: Map<string, string>): string[] {
  return [...needles]
    .filter(([, text]) => spellings(text).some((each) => haystack.includes(each)))
    .map(([name]) => name);
}

async function databaseAsText(): Promise<string> {
  const { rows: tables } = await world.database.query<{ name: string }>(
    "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  expect(tables.length).toBeGreaterThan(5);
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await world.database.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
    parts.push(...rows.map(({ text }) => text));
  }
  return parts.join('\n');
}

/** Everything Temporal keeps of the payments, as the bytes it keeps, and what its web view lists. */
async function historiesAsText(): Promise<string> {
  const parts: string[] = [];
  for (const id of payments) {
    const handle = temporal.workflow.getHandle(`payment-${id}`);
    const history = await handle.fetchHistory();
    expect(history.events?.length ?? 0).toBeGreaterThan(5);
    const bytes = Buffer.from(proto.temporal.api.history.v1.History.encode(history).finish());
    parts.push(bytes.toString('latin1'), bytes.toString('utf8'), JSON.stringify(history));
    const description = await handle.describe();
    parts.push(
      JSON.stringify({
        memo: description.memo,
        attributes: description.typedSearchAttributes,
        raw: description.raw,
      }),
    );
  }
  return parts.join('\n');
}

describe('canaries', () => {
  it('are found when they are there', () => {
    const secret = canary('self');
    for (const [at, spelled] of spellings(secret).entries()) {
      expect([at, found(`x${spelled}y`, new Map([['self', secret]]))]).toEqual([at, ['self']]);
    }
    expect(found(Buffer.from(`ab${secret}cd`).toString('base64'), new Map([['self', secret]]))).toEqual([
      'self',
    ]);
    expect(secrets.size).toBeGreaterThanOrEqual(14);
    expect([...secrets.values(), ...contents.values()].every((text) => text.length >= 16)).toBe(true);
  });

  it('SECRET-03, SECRET-06, SECRET-07, SECRET-09, MODE-06, AUTH-12: are in no log line at the most verbose level, error paths included', () => {
    expect(world.logs.length).toBeGreaterThan(20);
    const logs = world.logs.join('\n');
    expect(found(logs, secrets)).toEqual([]);
    expect(found(logs, contents)).toEqual([]);
    for (const number of ['4242424242424242', '4000000000003220']) expect(logs).not.toContain(number);
  });

  it('SECRET-06, SECRET-09, MODE-06: secrets are nowhere in clear in a dump of the database', async () => {
    const dump = await databaseAsText();
    expect(found(dump, contents)).toContain('reference');
    expect(found(dump, secrets)).toEqual([]);
    for (const number of ['4242424242424242', '4000000000003220', '4000000000000002']) {
      expect(found(dump, new Map([['card', number]]))).toEqual([]);
    }
  });

  it('SECRET-03, SECRET-09, MODE-06: neither secrets nor bodies are in the workflow histories or what the web view lists', async () => {
    const histories = await historiesAsText();
    expect(histories).toContain(payments[0]);
    expect(found(histories, secrets)).toEqual([]);
    expect(found(histories, contents)).toEqual([]);
    expect(histories).not.toContain('4242424242424242');
  });

  it('SECRET-01, SECRET-10, HOOK-12: no page, refusal, read or event carries key, capture secret or token', async () => {
    const { rows } = await world.database.query<{ data: string }>('SELECT data::text AS data FROM events');
    expect(rows.length).toBeGreaterThan(0);
    const handedOut = new Map([...secrets].filter(([name]) => !/^(checkoutUrl|actionUrl)/.test(name)));
    for (const text of [...shown, ...rows.map(({ data }) => data)])
      expect(found(text, handedOut)).toEqual([]);
    for (const { data } of rows) expect(found(data, secrets)).toEqual([]);
  });

  it('SECRET-02: the pages tell browsers to pass their address to nobody', async () => {
    const created = await shop.create();
    const page = await fetch(String(created.body.data?.['checkoutUrl']), { redirect: 'manual' });
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('the key that opens secrets', () => {
  it('SECRET-09, AMB-57, ERR-15: without it status of an open action is 503, never an action without its secret', async () => {
    const { ENCRYPTION_KEYS } = world.settings;
    // The old bytes under another name: lookups of keys work, sealed values do not open.
    const bytes = ENCRYPTION_KEYS.slice(ENCRYPTION_KEYS.indexOf(':') + 1);
    const blind = await openApi(world, {
      ENCRYPTION_KEYS: `other:${randomBytes(32).toString('base64')},renamed:${bytes}`,
      STATUS_SOURCE: 'projection',
    });
    try {
      const id = await shop.customPayment();
      const access = accessOf(await shop.capture(id));
      await shop.pay(id, await sendCard(access, '4000000000003220'));
      const without = new Probe(blind.baseUrl, shop.key);
      expect(refusal(await without.call('GET', `/v1/payments/${id}/status`))).toEqual([
        503,
        'service_unavailable',
      ]);
      expect(await shop.status(id)).toMatchObject({ status: 'requiresAction', action: { kind: 'threeDS' } });
      // CAPTURE-18: prepare cannot open its access either.
      const open = await shop.customPayment();
      await shop.capture(open);
      expect(refusal(await without.capture(open))).toEqual([503, 'service_unavailable']);
      expect((await shop.capture(open)).status).toBe(200);
    } finally {
      await blind.stop();
    }
  });

  it('AMB-65, VAULT-08: the capture address is not served by the service, whatever is sent there', async () => {
    const id = await shop.customPayment();
    const { url } = accessOf(await shop.capture(id));
    expect(new URL(url).origin).not.toBe(new URL(world.baseUrl).origin);
    const answer = await shop.call(
      'POST',
      new URL(url).pathname,
      { card_number: '4242424242424242' },
      { 'idempotency-key': randomUUID() },
    );
    expect(answer.status).toBe(404);
  });
});
