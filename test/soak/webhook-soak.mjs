/**
 * `node scripts/webhook-soak.mjs [--payments N] [--data-dir DIR] [--kill worker,temporal,postgres]`: many payments on a
 * running stack while its processes are killed, to four endpoints: a healthy one, one that fails 30 % of the time, one that
 * drips, one that is away for a while; the healthy one's secret is rotated half-way. Then compares the event log with what
 * each endpoint got, verifies every signature by itself, and prints the figures. Start the stack with:
 *
 *   RATE_LIMITS=off WEBHOOK_RETRY_SCHEDULE_SECONDS=0,1,2,3,5,8,13,21,34,55 npm start -- --no-demo --workers 2
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    payments: { type: 'string', default: '1000' },
    concurrency: { type: 'string', default: '6' },
    'data-dir': { type: 'string', default: '.local' },
    kill: { type: 'string', default: 'worker' },
    'kill-every': { type: 'string', default: '15' },
    away: { type: 'string', default: '30' },
    'settle-minutes': { type: 'string', default: '15' },
  },
});
const payments = Number(values.payments);
const stackFile = join(values['data-dir'], 'stack.json');
const stack = () => JSON.parse(readFileSync(stackFile, 'utf8'));
const { baseUrl, sandboxApiKey } = stack();
const say = (line) => process.stdout.write(`${line}\n`);

/** One call of the API; faults and 5xx are answered as null. */
async function call(method, path, body, headers = {}) {
  try {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${sandboxApiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(25_000),
    });
    const json = await answer.json();
    return answer.status >= 500 ? null : { status: answer.status, json };
  } catch {
    return null;
  }
}

/** Repeats a call until it is answered. */
async function insist(...args) {
  for (let wait = 200; ; wait = Math.min(wait * 1.5, 3_000)) {
    const answer = await call(...args);
    // The first request with the same key died on its way: its lease runs out.
    const isUnderway = answer?.json.error?.code === 'idempotency_in_progress';
    if (answer && answer.status !== 429 && !isUnderway) return answer;
    await sleep(wait);
  }
}

/** A listening endpoint; `answer` decides what it says. */
async function endpoint(name, answer) {
  const received = [];
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const delivery = { headers: request.headers, body: Buffer.concat(chunks), at: Date.now() };
      delivery.taken = answer(response, received.length, delivery);
      received.push(delivery);
    });
  });
  const open = (port) =>
    new Promise((resolve) => {
      server.listen(port, '127.0.0.1', resolve);
    });
  await open(0);
  const { port } = server.address();
  const added = await insist('POST', '/v1/webhook-endpoints', { url: `http://127.0.0.1:${port}/${name}` });
  return {
    name,
    id: added.json.data.id,
    secret: added.json.data.secret,
    /** The secret after a rotation, and when deliveries surely carry it. */
    rotated: null,
    received,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(resolve);
      });
    },
    reopen: () => open(port),
  };
}

const takes = (response) => {
  response.writeHead(204).end();
  return true;
};

function fails(response) {
  if (Math.random() >= 0.3) return takes(response);
  response.writeHead(500).end('not now');
  return false;
}

/** Every twentieth delivery gets its headers byte by byte, for ever. */
function drips(response, index) {
  if (index % 20 !== 0) return takes(response);
  const { socket } = response;
  socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
  const timer = setInterval(() => socket.write('a'), 200);
  socket.on('error', () => undefined);
  socket.on('close', () => clearInterval(timer));
  return false;
}

/** By the text of the scheme, not by the library that signed. */
function isGenuine({ headers, body }, secret) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
  const expected = createHmac('sha256', key).update(signed).update(body).digest();
  return headers['webhook-signature'].split(' ').some((part) => {
    const given = Buffer.from(part.slice(3), 'base64');
    return part.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Under the secret the endpoint began with, and after a rotation under the new one as well. */
const isTrusted = (delivery, { secret, rotated }) =>
  isGenuine(delivery, secret) &&
  (rotated === null || delivery.at < rotated.at || isGenuine(delivery, rotated.secret));

async function rotate(one) {
  const { json } = await insist('POST', `/v1/webhook-endpoints/${one.id}/rotate-secret`);
  // What was signed before may still be on its way for as long as a try can take.
  one.rotated = { secret: json.data.secret, at: Date.now() + 20_000 };
  say(`… rotated the secret of ${one.name}`);
}

async function pay(index) {
  const created = await insist(
    'POST',
    '/v1/payments',
    {
      amountCents: 2500,
      currency: 'USD',
      reference: `soak-${index}`,
      checkoutMode: 'custom',
      successUrl: 'https://shop.example/ok',
      cancelUrl: 'https://shop.example/no',
    },
    { 'idempotency-key': randomUUID() },
  );
  if (created.status !== 201) throw new Error(`creation answered ${created.status}`);
  const { id } = created.json.data;
  const { data } = (await insist('POST', `/v1/payments/${id}/capture`)).json;
  const token = await card(data.capture);
  for (let tries = 0; tries < 120; tries += 1) {
    await call('POST', `/v1/payments/${id}/pay`, token);
    const read = await insist('GET', `/v1/payments/${id}`);
    if (read.json.data.status === 'paid') return id;
    await sleep(500);
  }
  throw new Error(`payment ${id} was not paid`);
}

async function card(capture) {
  for (;;) {
    try {
      const answer = await fetch(capture.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-cardvault-capture-secret': capture.secret },
        body: JSON.stringify({
          card_number: '4242424242424242',
          card_cvv: '123',
          card_expiry_month: '12',
          card_expiry_year: '40',
        }),
        signal: AbortSignal.timeout(5_000),
      });
      const { token, reference } = await answer.json();
      if (token) return { cardToken: token, captureReference: reference };
    } catch {
      // Asked again below.
    }
    await sleep(300);
  }
}

/** The whole log, in its order, from `start`. */
async function readLog(since) {
  const events = [];
  for (let after = since; ;) {
    const page = await insist('GET', `/v1/events?after=${after}&perPage=100`);
    if (page.status !== 200) throw new Error(`the log answered ${page.status}`);
    if (page.json.data.length === 0) return events;
    events.push(...page.json.data);
    after = events.at(-1).id;
  }
}

async function killing(signal) {
  const kinds = values.kill.split(',').filter((kind) => kind !== '');
  let kills = 0;
  while (!signal.aborted) {
    await sleep(Number(values['kill-every']) * 1000, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || kinds.length === 0) return kills;
    const kind = kinds[kills % kinds.length];
    const { processes } = stack();
    const names = Object.keys(processes).filter((name) => name === kind || name.startsWith(`${kind}-`));
    const name = names[Math.floor(Math.random() * names.length)];
    if (name === undefined) continue;
    try {
      process.kill(processes[name], 'SIGKILL');
      kills += 1;
      say(`… killed ${name}`);
    } catch {
      // Already gone: it is being started again.
    }
  }
  return kills;
}

const newest = (await insist('GET', '/v1/events?perPage=1')).json.data[0]?.id ?? 'start';
const healthy = await endpoint('healthy', takes);
const away = await endpoint('away', takes);
const all = [healthy, await endpoint('fails', fails), await endpoint('drips', drips), away];
const startedAt = Date.now();
const stopKilling = new AbortController();
const killer = killing(stopKilling.signal);
const absence = (async () => {
  await sleep(10_000);
  await away.close();
  say('… one endpoint is away');
  await sleep(Number(values.away) * 1000);
  await away.reopen();
  say('… it is back');
})();

const paid = [];
let next = 0;
await Promise.all(
  Array.from({ length: Number(values.concurrency) }, async () => {
    while (next < payments) {
      const index = next;
      next += 1;
      if (index === Math.floor(payments / 2)) await rotate(healthy);
      paid.push(await pay(index));
      if (paid.length % 100 === 0)
        say(`… ${paid.length} paid after ${Math.round((Date.now() - startedAt) / 1000)} s`);
    }
  }),
);
const payingMs = Date.now() - startedAt;
await absence;
stopKilling.abort();
const kills = await killer;

const log = await readLog(newest);
const wanted = new Set(log.map(({ id }) => id));
const takenBy = ({ received }) =>
  new Set(received.filter(({ taken }) => taken).map(({ headers }) => headers['webhook-id']));
const missingAt = (one) => {
  const taken = takenBy(one);
  return [...wanted].filter((id) => !taken.has(id)).length;
};
const deadline = Date.now() + Number(values['settle-minutes']) * 60_000;
while (all.some((one) => missingAt(one) > 0) && Date.now() < deadline) await sleep(1_000);

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const first = new Map();
for (const { headers, body, at } of healthy.received) {
  const id = headers['webhook-id'];
  if (!first.has(id)) first.set(id, at - Date.parse(JSON.parse(body.toString()).timestamp));
}
const delays = [...first.values()].sort((a, b) => a - b);
const told = new Map();
for (const { type, data } of log)
  if (type === 'payment.paid') told.set(data.id, (told.get(data.id) ?? 0) + 1);
const report = {
  payments: paid.length,
  payingSeconds: Math.round(payingMs / 1000),
  kills,
  eventsInLog: log.length,
  paidWithoutEvent: paid.filter((id) => !told.has(id)).length,
  paidWithTwoEvents: [...told.values()].filter((count) => count > 1).length,
  endpoints: Object.fromEntries(
    all.map((one) => [
      one.name,
      {
        deliveries: one.received.length,
        missing: missingAt(one),
        badSignatures: one.received.filter((delivery) => !isTrusted(delivery, one)).length,
      },
    ]),
  ),
  healthyMs: { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99), max: delays.at(-1) },
};
say(JSON.stringify(report, null, 2));
for (const one of all) {
  await insist('DELETE', `/v1/webhook-endpoints/${one.id}`);
  await one.close();
}
const bad =
  report.paidWithoutEvent +
  report.paidWithTwoEvents +
  all.reduce(
    (sum, one) => sum + report.endpoints[one.name].missing + report.endpoints[one.name].badSignatures,
    0,
  );
process.exit(bad === 0 && report.healthyMs.p99 < 5_000 ? 0 : 1);
