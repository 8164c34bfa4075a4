import { texts } from '../../../src/dashboard/texts/en.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { isSigned } from '../../support/harness/webhook-signature.ts';
import { createReceiver } from '../../support/receiver.ts';
import { idOf, paidPayment } from '../../support/refunds-and-disputes.ts';
import { eventually, Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { webhooks: true });
});
afterAll(() => world.close());

const home = '/dashboard/sandbox';

async function newShop() {
  const merchantId = await world.merchant();
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
  return { merchantId, shop, client };
}

const sampleOf = (html: string): string =>
  (/data-testid="endpoint-sample"[^>]*>(.*?)<\/div>/s.exec(html)?.[1] ?? '').replaceAll(/<[^>]+>/g, '');

/** The values of the boxes on a page. */
const boxesOf = (html: string): string[] =>
  [...html.matchAll(/<input type="checkbox" class="input" name="delivery" value="([^"]+)"/g)].map(
    ([, value = '']) => value,
  );

describe('a test of a URL that is no endpoint yet', () => {
  const form = (url: string) => ({ url, types: 'payment.paid', events: 'refund.*', do: 'test' });

  it('sends one signed event, shows the answer, keeps what was typed and saves nothing', async () => {
    const { merchantId, client } = await newShop();
    const receiver = await createReceiver();
    try {
      const { status, text } = await client.post(`${home}/webhooks`, form(receiver.url));
      expect([status, sampleOf(text)]).toEqual([
        200,
        expect.stringMatching(/accepted\. HTTP 204 after \d+ ms/),
      ]);
      expect(text).toContain(`value="${receiver.url}"`);
      expect(text).toContain('value="refund.*"');
      expect(text).toMatch(/value="payment.paid" checked/);
      expect(receiver.received.map(({ event }) => event.type)).toEqual(['endpoint.test']);
      expect(receiver.received[0]?.headers['webhook-signature']).toMatch(/^v1,/);
      const { rows } = await world.database.query(
        'SELECT FROM webhook_endpoints WHERE merchant_id = $1 UNION ALL SELECT FROM events WHERE merchant_id = $1',
        [merchantId],
      );
      expect(rows).toHaveLength(0);
    } finally {
      await receiver.close();
    }
  });

  it('shows the beginning of a failed answer, and names a host that cannot be reached', async () => {
    const { client } = await newShop();
    const receiver = await createReceiver((_delivery, response) => {
      response.writeHead(401).end('<b>no signature</b>');
    });
    try {
      const { text } = await client.post(`${home}/webhooks`, form(receiver.url));
      expect(sampleOf(text)).toMatch(/not accepted\. HTTP 401 after \d+ ms/);
      expect(text).toContain('&lt;b>no signature&lt;/b>');
      expect(text).toContain(texts.webhooks.sampleSignature);
    } finally {
      await receiver.close();
    }
    const closed = await client.post(`${home}/webhooks`, form('http://127.0.0.1:9/hook'));
    expect(sampleOf(closed.text)).toContain('Nothing is listening at this address');
    // The rules for the addresses of deliveries apply.
    const inside = await client.post(`${home}/webhooks`, form('https://10.0.0.1/hook'));
    expect([inside.status, sampleOf(inside.text)]).toEqual([422, '']);
  });

  it('runs once at a time for a merchant', async () => {
    const { client } = await newShop();
    const receiver = await createReceiver((_delivery, response) => {
      setTimeout(() => response.writeHead(204).end(), 1_000);
    });
    try {
      const token = await client.token();
      const send = () => client.post(`${home}/webhooks`, form(receiver.url), token);
      const answers = await Promise.all([send(), send(), send()]);
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 429, 429]);
      expect(receiver.received).toHaveLength(1);
    } finally {
      await receiver.close();
    }
  });

  it('is not for members who may not add endpoints', async () => {
    const { merchantId } = await newShop();
    const support = await DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
    expect((await support.post(`${home}/webhooks`, form('https://shop.example'))).status).toBe(403);
  });
});

describe('ticked deliveries', () => {
  it('are sent again from the pages of an endpoint, an event and a payment, which stay open', async () => {
    const { shop, client } = await newShop();
    const receiver = await createReceiver();
    try {
      const endpoint = idOf(await shop.call('POST', '/v1/webhook-endpoints', { url: receiver.url }));
      const payment = await paidPayment(shop, undefined, { reference: 'order-12' });
      const first = await eventually(async () => {
        const boxes = boxesOf((await client.get(`${home}/webhooks/${endpoint}`)).text);
        return receiver.received.length > 0 && boxes.length > 0 ? boxes[0] : undefined;
      });
      const eventId = first.split('/')[1] ?? '';
      const pages = [`/webhooks/${endpoint}?status=delivered`, `/events/${eventId}`, `/payments/${payment}`];
      for (const page of pages) {
        const path = home + page;
        await eventually(async () =>
          boxesOf((await client.get(path)).text).includes(first) ? true : undefined,
        );
        const before = receiver.received.length;
        const fields = { delivery: first };
        const referer = { referer: client.origin + path };
        const { location } = await client.post(`${home}/webhooks/resend`, fields, undefined, referer);
        expect(location).toBe(`${path}${path.includes('?') ? '&' : '?'}done=resent`);
        await eventually(async () => (receiver.received.length > before ? true : undefined));
        expect(receiver.received.at(-1)?.event.id).toBe(eventId);
        await eventually(async () =>
          (await client.get(`${home}/webhooks/${endpoint}?status=delivered`)).text.includes(eventId)
            ? true
            : undefined,
        );
      }
      expect((await client.get(`${home}/team`)).text).toContain('Event resent');
      const event = (await client.get(`${home}/events/${eventId}`)).text;
      expect(event).toContain('data-testid="event-delivery"');
      expect(event.match(/HTTP 204/g)?.length).toBe(4);
    } finally {
      await receiver.close();
    }
  });

  it('need a tick, an enabled endpoint and the own merchant', async () => {
    const { shop, client } = await newShop();
    const endpoint = idOf(
      await shop.call('POST', '/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' }),
    );
    await paidPayment(shop);
    const [box = ''] = await eventually(async () => {
      const boxes = boxesOf((await client.get(`${home}/webhooks/${endpoint}`)).text);
      return boxes.length > 0 ? boxes : undefined;
    });
    const resend = async (by: DashboardClient, fields: Record<string, string>) =>
      (await by.post(`${home}/webhooks/resend`, fields)).location;
    expect(await resend(client, {})).toBe(`${home}/webhooks?done=nothingTicked`);
    expect(await resend(client, { delivery: `${endpoint}/nonsense` })).toContain('nothingTicked');
    // A row's own button resends that row alone, whatever is ticked.
    expect(await resend(client, { only: box, delivery: `${endpoint}/nonsense` })).toContain('done=resent');
    expect((await client.get(`${home}/webhooks/${endpoint}`)).text).toContain(`value="${box}"`);
    const other = await newShop();
    const sequence = () =>
      world.database.query('SELECT merchant_id, sequence FROM audit_heads ORDER BY merchant_id');
    const before = (await sequence()).rows;
    expect(await resend(other.client, { delivery: box })).toContain('done=notResent');
    await client.post(`${home}/webhooks/${endpoint}/disable`);
    expect(await resend(client, { delivery: box })).toContain('done=notResent');
    const after = (await sequence()).rows;
    // Only the endpoint was disabled.
    const sum = (rows: { sequence: number }[]): number =>
      rows.reduce((all, { sequence: one }) => all + one, 0);
    expect(sum(after) - sum(before)).toBe(1);
  });
});

it('the list of endpoints shows the latest delivery and the failures of a day', async () => {
  const { shop, client } = await newShop();
  await shop.call('POST', '/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' });
  const cells = async (): Promise<string[]> => {
    const { text } = await client.get(`${home}/webhooks`);
    return ['Last delivery', 'Failed in 24 hours'].map((head) =>
      (new RegExp(`data-head="${head}"[^>]*>(.*?)</td>`, 's').exec(text)?.[1] ?? '').replaceAll(
        /<[^>]+>/g,
        '',
      ),
    );
  };
  expect(await cells()).toEqual(['–', '0']);
  await paidPayment(shop);
  await eventually(async () => {
    const [last = '', failures] = await cells();
    return /Retrying/.test(last) && Number(failures) > 0 ? true : undefined;
  });
});

it('the list of endpoints shows since when and why each failing one fails', async () => {
  const { shop, client } = await newShop();
  const [failing, working] = [
    await createReceiver((_delivery, response) => {
      response.writeHead(503).end();
    }),
    await createReceiver(),
  ];
  try {
    for (const url of ['http://127.0.0.1:9/hook', failing.url, working.url])
      await shop.call('POST', '/v1/webhook-endpoints', { url });
    await paidPayment(shop);
    // Newest first.
    const expected = ['HTTP 503', 'Nothing is listening at this address'].map((reason) =>
      expect.stringMatching(
        new RegExp(`^Failing since \\d+ \\w+ \\d{4}, \\d\\d:\\d\\d\\. Last failure: ${reason}\\.$`),
      ),
    );
    const shown = await eventually(async () => {
      const { text } = await client.get(`${home}/webhooks`);
      const found = [...text.matchAll(/data-testid="endpoint-failing">(.*?)<\/small>/gs)];
      const sentences = found.map(([, sentence = '']) => sentence.replaceAll(/<[^>]+>/g, ''));
      return sentences.length === expected.length && working.received.length > 0 ? sentences : undefined;
    });
    expect(shown).toEqual(expected);
  } finally {
    await failing.close();
    await working.close();
  }
});

it('a verification names what to copy, and from which header', async () => {
  const { shop, client } = await newShop();
  const receiver = await createReceiver();
  try {
    const made = await shop.call('POST', '/v1/webhook-endpoints', { url: receiver.url });
    await client.post(`${home}/webhooks/${idOf(made)}/test`);
    const received = await eventually(async () => receiver.received[0]);
    expect(isSigned(String(made.body.data?.['secret']), received.headers, received.text)).toBe(true);
    const page = (await client.get(`${home}/webhooks/${idOf(made)}`)).text;
    expect(page).toContain('>Event ID</label>');
    expect(page).toContain('>From the header webhook-id<');
    const headers = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        String(received.headers[name]),
      ]),
    );
    const path = `${home}/webhooks/${idOf(made)}/verify`;
    const checked = await client.post(path, { ...headers, body: received.text });
    expect(checked.text).toContain(texts.webhooks.validSignature);
  } finally {
    await receiver.close();
  }
});
