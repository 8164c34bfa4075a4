import type { Call } from '../../chaos/history.ts';
import type { Caller } from './caller.ts';

/** The address of the receivers of these endpoints. It fails more often than the shop's own. */
export const otherReceiver = 'http://127.0.0.1:7008';

/** The address of a receiver that answers each webhook late. */
export const slowReceiver = `${otherReceiver}/slow`;

/** Plays a developer who adds, changes, tests and deletes a webhook endpoint, and sends events again. */
export async function changeEndpoint(caller: Caller): Promise<void> {
  const { random, client } = caller;
  const events = random.pick([null, ['payment.*'], ['payment.paid', 'refund.*'], ['dispute.*']]);
  const created = await caller.change('POST', '/v1/webhook-endpoints', {
    url: `${otherReceiver}/${caller.index}`,
    events,
    ...(random.chance(0.5) ? { description: 'A second receiver' } : {}),
  });
  const id = created?.result === 'ok' ? idIn(created) : null;
  if (id === null) return;
  const path = `/v1/webhook-endpoints/${id}`;
  for (let changes = random.between(4, 8); changes > 0 && !client.isOver; changes -= 1) {
    await client.pause(500, 3_500);
    await changeOnce(caller, path);
  }
  await caller.read(`${path}/deliveries?limit=3`);
  if (random.chance(0.5)) await deleteOnce(caller, path);
}

async function changeOnce(caller: Caller, path: string): Promise<void> {
  const { random } = caller;
  const how = random.weighted([
    ['test', 3],
    ['rotate', 2],
    ['pause', 2],
    ['filter', 1],
    ['deliveries', 3],
    ['replay', 2],
    ['redeliver', 2],
    ['read', 1],
    ['refused', 1],
  ] as const);
  if (how === 'test') await testTwice(caller, path);
  else if (how === 'rotate') await caller.change('POST', `${path}/rotate-secret`);
  else if (how === 'pause') await pauseAndResume(caller, path);
  else if (how === 'filter') {
    await caller.change('PATCH', path, { events: random.pick([null, ['refund.*']]), description: null });
  } else if (how === 'deliveries') await readDeliveries(caller, path);
  else if (how === 'replay') await replay(caller, path);
  else if (how === 'redeliver') await redeliver(caller, path);
  else if (how === 'read') await caller.read(path);
  else await caller.change('PATCH', path, { url: 'ftp://shop.example', status: 'paused' });
}

/** Sends a test, and sometimes sends its event again while the first try may still be under way. */
async function testTwice(caller: Caller, path: string): Promise<void> {
  const tested = await caller.change('POST', `${path}/test`);
  const eventId = /evt_\w{24}/.exec(tested?.result === 'ok' ? tested.text : '')?.[0];
  if (eventId === undefined || caller.random.chance(0.4)) return;
  await caller.change('POST', `/v1/events/${eventId}/redeliver`, {});
}

async function pauseAndResume(caller: Caller, path: string): Promise<void> {
  await caller.change('PATCH', path, { status: 'disabled' });
  await caller.client.pause(300, 3_000);
  await caller.change('POST', `${path}/test`);
  await caller.change('PATCH', path, { status: 'enabled' });
}

async function readDeliveries(caller: Caller, path: string): Promise<void> {
  const status = caller.random.pick([
    '',
    '&status=pending',
    '&status=delivered',
    '&from=2030-01-01&to=2030-01-02',
  ]);
  const first = `${path}/deliveries?limit=2${status}`;
  const { cursor } = await caller.list(first);
  if (cursor !== null) await caller.list(`${first}&cursor=${encodeURIComponent(cursor)}`);
}

async function replay(caller: Caller, path: string): Promise<void> {
  await caller.change('POST', `${path}/replay`, {
    since: '2030-01-01T00:00:00Z',
    status: caller.random.pick(['failed', 'all']),
    ...(caller.random.chance(0.4) ? { types: ['payment.*'] } : {}),
    ...(caller.random.chance(0.4) ? { dryRun: true } : {}),
  });
}

/** Sends one event again, to this endpoint or to all. */
async function redeliver(caller: Caller, path: string): Promise<void> {
  const { ids } = await caller.list('/v1/events?limit=10');
  const event = ids[caller.random.below(Math.max(1, ids.length))];
  if (event === undefined) return;
  const endpointId = path.split('/').at(-1);
  await caller.change(
    'POST',
    `/v1/events/${event}/redeliver`,
    caller.random.chance(0.6) ? { endpointId } : {},
  );
}

/** Deletes the endpoint. A call that is repeated after a lost answer finds none, so it is sent only once. */
const deleteOnce = ({ client }: Caller, path: string): Promise<Call> =>
  client.call({ op: 'change', method: 'DELETE', path, isAnyShape: true });

/** Returns the id of the object in an answer. */
const idIn = ({ text }: Call): string | null =>
  (JSON.parse(text) as { data?: { id?: string } }).data?.id ?? null;
