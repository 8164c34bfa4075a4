import { randomBytes } from 'node:crypto';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTracing } from '../../../src/tracing/start.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** A span in OTLP's JSON, with its attributes by name. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Record<string, unknown>;
}

interface Export {
  resourceSpans: {
    scopeSpans: {
      spans: (Omit<Span, 'attributes'> & {
        attributes: { key: string; value: Record<string, unknown> }[];
      })[];
    }[];
  }[];
}

let world: World;
let shop: Shop;
let collector: Server;
let stopTracing: () => Promise<void>;
const exported: string[] = [];

beforeAll(async () => {
  collector = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      exported.push(Buffer.concat(pieces).toString());
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  stopTracing = await startTracing(
    { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
    { serviceName: 'test', version: '0' },
    () => undefined,
  );
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(async () => {
  await world.close();
  await stopTracing();
  await new Promise((resolve) => collector.close(resolve));
});

const spans = (traceId: string): Span[] =>
  exported
    .flatMap((text) => (JSON.parse(text) as Export).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    .filter((span) => span.traceId === traceId)
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
    }));
const newTrace = () => ({ traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') });
const pay = (
  id: string,
  card: { cardToken: string; captureReference: string },
  { traceId, spanId }: ReturnType<typeof newTrace>,
) =>
  shop.call('POST', `/v1/payments/${id}/pay`, card, {
    traceparent: `00-${traceId}-${spanId}-01`,
  });
/** Waits for a span of a trace, by its name. */
const found = (traceId: string, name: RegExp): Promise<Span> =>
  eventually(async () => spans(traceId).find((span) => name.test(span.name)), 60_000);

it("continues the caller's trace through request, update, activity and provider call", async () => {
  const id = await shop.customPayment();
  const card = await shop.captureCard(id);
  const trace = newTrace();
  const answer = await pay(id, card, trace);
  expect(answer.body.data).toMatchObject({ status: 'paid' });
  const request = await found(trace.traceId, /^POST \/v1\/payments\/:id\/pay$/);
  const update = await found(trace.traceId, /^UpdateWorkflow pay$/);
  const charge = await found(trace.traceId, /^simulated network charge$/);
  const activity = spans(trace.traceId).find(({ spanId }) => spanId === charge.parentSpanId);
  expect(activity?.name).toMatch(/^RunActivity /);
  expect(activity?.parentSpanId).toBe(update.spanId);
  expect(update.parentSpanId).toBe(request.spanId);
  expect(request.parentSpanId).toBe(trace.spanId);
  const ids = { 'payment.id': id, 'request.id': answer.headers.get('request-id') };
  expect(request.attributes).toMatchObject({
    ...ids,
    'http.response.status_code': expect.anything() as unknown,
  });
  for (const span of [request, update, activity]) expect(span?.attributes).toMatchObject(ids);
  for (const span of [request, update, activity]) {
    expect(String(span?.attributes['attempt.no'])).toBe('1');
  }
  const all = exported.join('\n');
  for (const secret of [card.cardToken, card.captureReference, shop.key, '4242424242424242']) {
    expect(all).not.toContain(secret);
  }
});

it('continues it in another worker, which asks what became of the charge', async () => {
  const id = await shop.customPayment();
  // The network decides this card only after the checkout's deadline.
  const card = await shop.captureCard(id, '4000000000007205');
  const trace = newTrace();
  expect((await pay(id, card, trace)).status).toBe(503);
  await found(trace.traceId, /^simulated network charge$/);
  await world.stopWorker();
  const before = new Set(spans(trace.traceId).map(({ spanId }) => spanId));
  await world.startWorker('payments,provider');
  const later = await eventually(
    async () =>
      spans(trace.traceId).find(({ name, spanId }) => name.startsWith('RunActivity ') && !before.has(spanId)),
    60_000,
  );
  expect(later.attributes).toMatchObject({ 'payment.id': id });
});

it('takes nothing from a traceparent that is none', async () => {
  const id = await shop.customPayment();
  const answer = await shop.call('GET', `/v1/payments/${id}`, undefined, { traceparent: '00-zz-00-01' });
  expect(answer.status).toBe(200);
});
