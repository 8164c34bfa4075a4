import { randomBytes, randomUUID } from 'node:crypto';
import proto from '@temporalio/proto';
import type { Client } from '@temporalio/client';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { createTemporalClient } from '../../src/temporal/connection.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import {
  deliveryWorkflowId,
  disputeWorkflowId,
  paymentWorkflowId,
  refundWorkflowId,
} from '../../src/temporal/contract/ids.ts';
import { jsonData } from '../support/answers.ts';
import { payByCard } from '../support/card-fields.ts';
import { launchBrowser, openTab, startSite, withBrowser } from '../support/browser.ts';
import { idOf, keyed, refund } from '../support/refunds-and-disputes.ts';
import { eventually, sendCard } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { type Receiver, createReceiver } from '../support/receiver.ts';
import { canary, found, spellings } from './canaries.ts';
import { type Exchange, record, visit } from './exchanges.ts';
import { Probe, refusal } from './contract-checks.ts';
import { type HoldingProxy, accessOf, answerChallenge, openApi, openGate } from './support.ts';
import { proves } from '../support/proves.ts';

let world: World;
let gate: HoldingProxy;
let shop: Probe;
let receiver: Receiver;
let endpointId: string;
let temporal: Client;

/** Secrets of the protocol, which may be in clear text only in the answers that return them. */
const secrets = new Map<string, string>();
/** Content of bodies, which is stored by design but must be in no log and no history. */
const contents = new Map<string, string>();
/** The payments that carry the canaries. */
const payments: string[] = [];
/** The workflows besides those of the payments. */
const workflows: string[] = [];
/** Refusals and reads of the API during the test. */
const shown: string[] = [];
/** The exchanges of a customer's browser about these payments. */
const visited: Exchange[] = [];
const cards = ['4242424242424242', '4000000000003220', '4000000000000002'];

beforeAll(async () => {
  const keyBytes = randomBytes(32);
  secrets.set('encryptionKey', keyBytes.toString('base64'));
  secrets.set('encryptionKeyBytes', keyBytes.toString('hex'));
  for (const name of ['vaultServiceKey', 'networkServiceKey']) secrets.set(name, canary(name));
  secrets.set('callbackSecret', randomBytes(32).toString('base64'));
  gate = await openGate();
  world = await createWorld(
    {
      VAULT_URL: gate.url,
      VAULT_SERVICE_KEY: secrets.get('vaultServiceKey') ?? '',
      NETWORK_SERVICE_KEY: secrets.get('networkServiceKey') ?? '',
      NETWORK_CALLBACK_SECRET: `whsec_${secrets.get('callbackSecret')}`,
      ENCRYPTION_KEYS: `canary:${secrets.get('encryptionKey')}`,
      REFUND_DELAY_SECONDS: '0',
      WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,1',
    },
    { webhooks: true },
  );
  gate.target = world.vaultUrl;
  const merchant = await world.merchant({ sandbox: { customActions: true } });
  shop = new Probe(world.baseUrl, await world.key(merchant, 'sandbox'));
  temporal = createTemporalClient(
    { address: world.settings.TEMPORAL_ADDRESS, namespace: world.settings.TEMPORAL_NAMESPACE },
    createDataConverter(createKeyring(world.settings.ENCRYPTION_KEYS)),
  );
  // Refuses each event once, so that every delivery also becomes a workflow.
  const refused = new Set<string>();
  receiver = await createReceiver(({ event }, response) => {
    response.writeHead(refused.has(event.id) ? 204 : 500).end();
    refused.add(event.id);
  });
  contents.set('endpointPath', canary('endpointPath'));
  const endpoint = await shop.call('POST', '/v1/webhook-endpoints', {
    url: `${receiver.url}/${contents.get('endpointPath')}`,
  });
  const { id, secret } = jsonData(endpoint) as { id: string; secret: string };
  endpointId = id;
  secrets.set('webhookSecret', secret.replace('whsec_', ''));
  await walkEveryPath();
  await walkWhatComesAfter(payments[0] ?? '');
  await walkTheHostedPage();
  await everythingIsDelivered();
});
afterAll(async () => {
  await receiver.close();
  await temporal.connection.close();
  await world.close();
  await gate.close();
});

/** Returns the last part of a checkout or action URL, the secret that opens it. */
const secretPart = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

/** Returns a create body with canaries in every field that a caller can send. */
const canaryFields = (): Record<string, unknown> => ({
  reference: contents.get('reference'),
  successUrl: `https://shop.example/${contents.get('successPath')}`,
  metadata: { [contents.get('metadataKey') ?? '']: contents.get('metadataValue') },
  customer: {
    name: contents.get('customerName'),
    email: contents.get('email'),
    documentNumber: secrets.get('documentNumber'),
    phone: secrets.get('phone'),
  },
});

/**
 * Makes custom payments with success, challenge, decline, 400, 422 and 503, while the customer uses their
 * pages.
 */
async function walkEveryPath(): Promise<void> {
  for (const name of ['reference', 'metadataKey', 'metadataValue', 'customerName', 'successPath'])
    contents.set(name, canary(name));
  for (const name of ['documentNumber', 'phone']) secrets.set(name, canary(name));
  contents.set('email', `${canary('email')}@example.com`);
  secrets.set('apiKey', shop.key);
  const fields = { ...canaryFields(), checkoutMode: 'custom' };
  for (const [round, number] of cards.entries()) {
    const created = await shop.create(fields);
    const id = String(created.body.data?.['id']);
    payments.push(id);
    const checkoutUrl = String(created.body.data?.['checkoutUrl']);
    secrets.set(`checkoutUrl${round}`, secretPart(checkoutUrl));
    const access = accessOf(await shop.capture(id));
    secrets.set(`captureSecret${round}`, access.secret);
    const card = await sendCard(access, number);
    secrets.set(`cardToken${round}`, card.cardToken);
    await visitPage(checkoutUrl);
    // First the pays with a refused token, for every reason of a refusal.
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
      secrets.set('actionUrl', secretPart(actionUrl));
      await visitPage(checkoutUrl);
      await visit(visited, actionUrl);
      await visit(visited, `${actionUrl}/return`);
      await passChallenge(id);
      await visit(visited, `${actionUrl}/return`);
      await becomesPaid(id);
      await visit(visited, actionUrl);
    }
    await visitPage(checkoutUrl);
    for (const path of [`/${id}`, `/${id}/checkout`, '?perPage=100']) {
      shown.push((await shop.call('GET', `/v1/payments${path}`)).text);
    }
  }
  await shop.call('GET', `/v1/payments/${secrets.get('cardToken0')}`);
  await shop.call('GET', `/v1/payments?status=${secrets.get('cardToken0')}`);
}

/** Completes the open challenge as the customer. Refused tokens used earlier attempt numbers. */
async function passChallenge(id: string): Promise<void> {
  const { rows } = await world.database.query<{ no: number }>(
    'SELECT max(attempt_no)::int AS no FROM attempts WHERE payment_id = $1',
    [id],
  );
  await answerChallenge(world, id, 'authenticated', rows[0]?.no);
}

/**
 * Waits until the payment is paid. The network's callback may have started the same confirmation as the
 * customer's return, which then ends on its own.
 */
async function becomesPaid(id: string): Promise<void> {
  await eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined));
}

/** Makes a refund and a dispute of a paid payment, with canaries in the merchant's texts. */
async function walkWhatComesAfter(paymentId: string): Promise<void> {
  for (const name of ['refundReference', 'refundMetadata', 'evidence']) contents.set(name, canary(name));
  const body = {
    amountCents: 100,
    reference: contents.get('refundReference'),
    metadata: { a: contents.get('refundMetadata') },
  };
  workflows.push(refundWorkflowId(idOf(await refund(shop, paymentId, body))));
  const dispute = await keyed(shop, `/v1/sandbox/payments/${paymentId}/disputes`, { reason: 'fraudulent' });
  workflows.push(disputeWorkflowId(idOf(dispute)));
  const staged = await shop.call('PUT', `/v1/disputes/${idOf(dispute)}/evidence`, {
    evidence: { uncategorizedText: contents.get('evidence') },
  });
  expect(staged.status).toBe(200);
  expect((await keyed(shop, `/v1/disputes/${idOf(dispute)}/submit`)).status).toBe(200);
}

/** Makes a hosted payment like its page's script: card fields, pay, challenge, and back to the shop. */
async function walkTheHostedPage(): Promise<void> {
  const created = await shop.create(canaryFields());
  const id = String(created.body.data?.['id']);
  payments.push(id);
  const url = String(created.body.data?.['checkoutUrl']);
  secrets.set('checkoutUrlHosted', secretPart(url));
  const form = /data-form-token="([^"]+)"/.exec(await visitPage(url))?.[1] ?? '';
  const json = { accept: 'application/json' };
  const fields = JSON.parse((await visit(visited, `${url}/card-fields`, { form }, json)).text) as {
    url: string;
    frameKey: string;
  };
  secrets.set('frameKey', fields.frameKey);
  const reference = new URL(fields.url).pathname.split('/').at(-1);
  const captured = await fetch(`${world.vaultUrl}/frame/${reference}/capture`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-cardvault-frame-key': fields.frameKey },
    body: JSON.stringify({
      card_number: cards[1],
      card_cvv: '123',
      card_expiry_month: '12',
      card_expiry_year: '40',
    }),
  });
  const card = (await captured.json()) as { token: string; reference: string };
  secrets.set('cardTokenHosted', card.token);
  const sent = { form, method: 'card', captureReference: card.reference };
  const refused = canary('refusedTokenHosted');
  secrets.set('refusedTokenHosted', refused);
  expect((await visit(visited, `${url}/pay`, { ...sent, cardToken: refused }, json)).status).toBe(422);
  expect((await visit(visited, `${url}/pay`, { ...sent, cardToken: card.token }, json)).status).toBe(200);
  const action = /href="(\/a\/[^"]+)"/.exec(await visitPage(url))?.[1] ?? '';
  secrets.set('actionUrlHosted', action.split('/').at(-1) ?? '');
  await visit(visited, world.baseUrl + action);
  await passChallenge(id);
  const back = await visit(visited, `${world.baseUrl}${action}/return`);
  expect([200, 303]).toContain(back.status);
  await visitPage(url);
  await becomesPaid(id);
}

/** Visits the page, every file of the service that it loads, and its script's calls. Returns its markup. */
async function visitPage(url: string): Promise<string> {
  const page = await visit(visited, url);
  expect(page.status).toBe(200);
  for (const [, path] of page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g))
    await visit(visited, `${world.baseUrl}${path}`);
  await visit(visited, `${url}/state`, undefined, { accept: 'application/json' });
  await visit(visited, `${url}/done`);
  return page.text;
}

/** Waits until the endpoint has received every event of the canaries' payments. */
async function everythingIsDelivered(): Promise<void> {
  await eventually(async () => {
    const { rows } = await world.database.query<{ id: string; type: string }>('SELECT id, type FROM events');
    const types = new Set(rows.map(({ type }) => type));
    const expectedTypes = [
      'payment.paid',
      'payment.requiresAction',
      'refund.succeeded',
      'dispute.underReview',
    ];
    const times = (id: string): number => receiver.received.filter(({ event }) => event.id === id).length;
    const all = expectedTypes.every((type) => types.has(type)) && rows.every(({ id }) => times(id) > 1);
    return all ? true : undefined;
  }, 60_000);
  workflows.push(...receiver.received.map(({ event }) => deliveryWorkflowId(event.id, endpointId)));
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

/** Returns everything that Temporal stores of the payments, as stored, and the lists of its web view. */
async function historiesAsText(): Promise<string> {
  const parts: string[] = [];
  for (const id of [...payments.map(paymentWorkflowId), ...workflows]) {
    const handle = temporal.workflow.getHandle(id);
    const history = await handle.fetchHistory();
    expect(history.events?.length ?? 0).toBeGreaterThan(3);
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

const cardNumbers = new Map(cards.map((number) => [number, number]));
/** The secrets without the links, which are in the pages that they open. */
const withoutLinks = () => new Map([...secrets].filter(([name]) => !/^(checkoutUrl|actionUrl)/.test(name)));

describe('canaries', () => {
  it('are found where they were put', () => {
    const secret = canary('self');
    for (const [at, spelled] of spellings(secret).entries()) {
      expect([at, found(`x${spelled}y`, new Map([['self', secret]]))]).toEqual([at, ['self']]);
    }
    expect(found(Buffer.from(`ab${secret}cd`).toString('base64'), new Map([['self', secret]]))).toEqual([
      'self',
    ]);
    expect(secrets.size).toBeGreaterThanOrEqual(24);
    expect([...secrets.values(), ...contents.values()].every((text) => text.length >= 16)).toBe(true);
  });

  it(
    proves(
      'are in no log line at the most verbose level, also on error paths',
      'SECRET-03',
      'SECRET-06',
      'SECRET-07',
      'SECRET-09',
      'MODE-06',
      'AUTH-12',
    ),
    () => {
      expect(world.logs.length).toBeGreaterThan(20);
      const logs = world.logs.join('\n');
      expect(found(logs, secrets)).toEqual([]);
      expect(found(logs, contents)).toEqual([]);
      expect(found(logs, cardNumbers)).toEqual([]);
    },
  );

  it(proves('are not in clear in a dump of the database', 'SECRET-06', 'SECRET-09', 'MODE-06'), async () => {
    const dump = await databaseAsText();
    expect(found(dump, contents)).toContain('reference');
    expect(found(dump, secrets)).toEqual([]);
    expect(found(dump, cardNumbers)).toEqual([]);
  });

  it(
    proves(
      'are neither in the workflow histories nor in the lists of the web UI',
      'SECRET-03',
      'SECRET-09',
      'MODE-06',
    ),
    async () => {
      const histories = await historiesAsText();
      expect(histories).toContain(payments[0]);
      expect(found(histories, secrets)).toEqual([]);
      expect(found(histories, contents)).toEqual([]);
      expect(found(histories, cardNumbers)).toEqual([]);
    },
  );

  it(
    proves('of keys, capture secrets and tokens are in no refusal and no read', 'SECRET-05', 'SECRET-10'),
    () => {
      for (const text of shown) expect(found(text, withoutLinks())).toEqual([]);
    },
  );

  it(
    proves(
      'are in no delivered webhook, neither in its body nor in its headers',
      'HOOK-12',
      'SECRET-05',
      'SECRET-10',
      'MODE-06',
    ),
    async () => {
      const { rows } = await world.database.query<{ data: string }>('SELECT data::text AS data FROM events');
      expect(receiver.received.length).toBeGreaterThanOrEqual(rows.length);
      const deliveries = receiver.received.map(({ headers, text }) => `${JSON.stringify(headers)} ${text}`);
      for (const text of [...deliveries, ...rows.map(({ data }) => data)]) {
        expect(found(text, secrets)).toEqual([]);
        expect(found(text, cardNumbers)).toEqual([]);
      }
      // Only the values that the contract requires, and no other text of the merchant.
      expect(found(deliveries.join('\n'), contents).toSorted()).toEqual([
        'customerName',
        'email',
        'metadataKey',
        'metadataValue',
        'reference',
        'refundMetadata',
        'refundReference',
      ]);
    },
  );

  it(
    proves(
      'are in no page, asset or answer to a page, neither in body, headers nor addresses',
      'SECRET-01',
      'SECRET-05',
      'SECRET-10',
      'MODE-06',
    ),
    () => {
      expect(visited.length).toBeGreaterThan(30);
      for (const exchange of visited) {
        // The page's script receives the key of the card fields in one answer, and in no other.
        const handedOut = exchange.url.endsWith('/card-fields') ? ['frameKey'] : [];
        expect([exchange.url, found(exchange.got, withoutLinks())]).toEqual([exchange.url, handedOut]);
        expect(found(exchange.url, withoutLinks())).toEqual([]);
        expect(found(exchange.got, cardNumbers)).toEqual([]);
      }
      const shownContents = found(visited.map(({ got }) => got).join('\n'), contents);
      expect(shownContents.toSorted()).toEqual(['reference', 'successPath']);
    },
  );

  withBrowser('in a browser', () => {
    it(
      proves(
        'are not sent to a challenge; card and key go to the vault only',
        'SECRET-01',
        'SECRET-02',
        'MODE-06',
        'PAGE-10',
      ),
      async () => {
        const [browser, site] = await Promise.all([launchBrowser(), startSite()]);
        try {
          const created = await shop.create({ ...canaryFields(), successUrl: `${site.origin}/ok` });
          const url = String(created.body.data?.['checkoutUrl']);
          const link = new Map([['link', secretPart(url)]]);
          const { page } = await openTab(browser);
          const recorded = record(page.context());
          await page.goto(url);
          await payByCard(page, cards[1]);
          await page.frameLocator('#challenge').getByTestId('challenge-approve').click();
          await page.waitForURL(`${site.origin}/ok`);
          const exchanges = await recorded();
          const by = (origin: string) => exchanges.filter((each) => new URL(each.url).origin === origin);
          const [own, vault] = [by(world.baseUrl), by(gate.url)];
          const fields = own.find((each) => new URL(each.url).pathname.endsWith('/card-fields'));
          const { frameKey } = JSON.parse(fields?.got.slice(fields.got.indexOf('{"url"')) ?? '') as {
            frameKey: string;
          };
          const capture = vault.find(({ sent }) => sent.includes(cards[1] ?? ''));
          const token = /"token":"([^"]+)"/.exec(capture?.got ?? '')?.[1] ?? '';
          const ofThisVisit = new Map([...secrets, ['ownFrameKey', frameKey], ['ownToken', token]]);
          expect([frameKey.length, token.length].every((length) => length >= 16)).toBe(true);
          for (const each of exchanges) {
            const path = new URL(each.url).pathname;
            const isCapture = each === capture;
            expect([path, found(each.got, ofThisVisit)]).toEqual([
              path,
              each === fields ? ['ownFrameKey'] : isCapture ? ['ownToken'] : [],
            ]);
            const paying = own.includes(each) && path.endsWith('/pay');
            expect([path, found(each.sent, ofThisVisit)]).toEqual([
              path,
              isCapture ? ['ownFrameKey'] : paying ? ['ownToken'] : [],
            ]);
            expect(found(each.url, ofThisVisit)).toEqual([]);
            expect([path, found(each.sent + each.got, cardNumbers)]).toEqual([
              path,
              isCapture ? ['4000000000003220'] : [],
            ]);
          }
          // The page's own address is in no header and no body that another site receives.
          const elsewhere = exchanges.filter((each) => !own.includes(each));
          expect(elsewhere.length).toBeGreaterThan(3);
          expect(found(elsewhere.map(({ sent }) => sent).join('\n'), link)).toEqual([]);
          expect(own.length).toBeGreaterThan(4);
          expect(world.logs.join('\n')).not.toContain(token);
          expect(found(world.logs.join('\n'), new Map([...ofThisVisit, ...link]))).toEqual([]);
        } finally {
          await browser.close();
          site.close();
        }
      },
    );
  });

  it(proves('do not leave by Referer headers, which the pages forbid', 'SECRET-02'), async () => {
    const created = await shop.create();
    const page = await fetch(String(created.body.data?.['checkoutUrl']), { redirect: 'manual' });
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('the encryption key', () => {
  it(
    proves(
      'is needed for the status of an open action, which is 503 without it, never an action without its secret',
      'SECRET-09',
      'AMB-57',
      'ERR-15',
    ),
    async () => {
      const { ENCRYPTION_KEYS } = world.settings;
      // The old key bytes under another id: lookups of keys work, sealed values cannot be opened.
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
        expect(await shop.status(id)).toMatchObject({
          status: 'requiresAction',
          action: { kind: 'threeDS' },
        });
        // CAPTURE-18: prepare cannot open its stored access either.
        const open = await shop.customPayment();
        await shop.capture(open);
        expect(refusal(await without.capture(open))).toEqual([503, 'service_unavailable']);
        expect((await shop.capture(open)).status).toBe(200);
      } finally {
        await blind.stop();
      }
    },
  );

  it(
    proves('is not involved in capturing: the service serves no capture address', 'AMB-65', 'VAULT-08'),
    async () => {
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
    },
  );
});
