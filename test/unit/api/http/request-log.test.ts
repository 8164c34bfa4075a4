import { createRequestLog } from '../../../../src/api/http/request-log.ts';
import type { ApiRequest } from '../../../../src/domain/api-request.ts';
import { until } from '../../../support/payment-harness.ts';

let serial = 0;
const requestOf = (keyId = 'key'): ApiRequest => ({
  id: `0198a5d1-b2c0-7000-8000-${String((serial += 1)).padStart(12, '0')}`,
  merchantId: '01980a5d-1b2c-7d4e-8f90-a1b2c3d4e5f6',
  environment: 'sandbox',
  at: new Date('2030-01-01T00:00:00Z'),
  method: 'GET',
  route: '/v1/payments',
  status: 200,
  errorCode: null,
  ms: 1,
  keyId,
  paymentId: null,
});

/** Returns a log over a table that can be unavailable or refuse a batch. */
function createLog(options: { maxWaiting?: number; everyMs?: number } = {}) {
  const written: ApiRequest[][] = [];
  const lines: unknown[] = [];
  const table = { away: false, refuses: (_batch: readonly ApiRequest[]): boolean => false };
  const log = createRequestLog({
    insert: async (requests) => {
      if (table.away) throw new Error('away');
      if (table.refuses(requests)) throw new Error('refused');
      written.push([...requests]);
    },
    isRefused: (error) => (error as Error).message === 'refused',
    logger: { warn: (line: unknown) => lines.push(line) } as never,
    everyMs: 1,
    ...options,
  });
  return { log, written, lines, table };
}
const ids = (batches: ApiRequest[][]): string[] => batches.flat().map(({ id }) => id);

it('writes the requests of a short time in one statement, in their order', async () => {
  const { log, written } = createLog();
  const requests = Array.from({ length: 700 }, () => requestOf());
  for (const request of requests) log.note(request);
  expect(written).toEqual([]);
  await until(() => written.length > 0);
  expect(written).toHaveLength(1);
  expect(ids(written)).toEqual(requests.map(({ id }) => id));
  const late = requestOf();
  log.note(late);
  await until(() => written.length > 1);
  expect(written[1]).toEqual([late]);
});

it('gives one statement 1,000 requests at most', async () => {
  const { log, written } = createLog();
  for (let count = 0; count < 2_500; count += 1) log.note(requestOf());
  await log.stop(10_000);
  expect(written.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
});

it('keeps requests while the database does not accept them, and writes them later', async () => {
  const { log, written, lines, table } = createLog();
  table.away = true;
  const requests = [requestOf(), requestOf()];
  for (const request of requests) log.note(request);
  await until(() => lines.length >= 2);
  table.away = false;
  await until(() => written.length > 0);
  expect(ids(written)).toEqual(requests.map(({ id }) => id));
  expect(log.dropped).toBe(0);
});

it('is bounded: dropped requests are counted, and one key leaves room for others', async () => {
  const { log, written, table } = createLog({ maxWaiting: 10 });
  table.away = true;
  for (let count = 0; count < 20; count += 1) log.note(requestOf('flood'));
  expect(log.dropped).toBe(15);
  for (let count = 0; count < 8; count += 1) log.note(requestOf(`other ${count}`));
  expect(log.dropped).toBe(18);
  table.away = false;
  await log.stop(10_000);
  expect(written.flat()).toHaveLength(10);
  expect(written.flat().filter(({ keyId }) => keyId === 'flood')).toHaveLength(5);
});

it('has room again for a key once its requests are written', async () => {
  const { log, written } = createLog({ maxWaiting: 10 });
  for (let round = 1; round <= 3; round += 1) {
    for (let count = 0; count < 5; count += 1) log.note(requestOf());
    await until(() => written.flat().length === round * 5);
  }
  expect(log.dropped).toBe(0);
});

it('drops a refused batch, and continues after it', async () => {
  const { log, written, table, lines } = createLog();
  const bad = requestOf();
  table.refuses = (batch) => batch.some(({ id }) => id === bad.id);
  log.note(bad);
  for (let count = 0; count < 1_500; count += 1) log.note(requestOf());
  await log.stop(10_000);
  expect(written.map(({ length }) => length)).toEqual([501]);
  expect(log.dropped).toBe(1_000);
  expect(lines).toContainEqual({ dropped: 1_000 });
});

it('writes the waiting requests when it is stopped, and does not wait too long for a hanging database', async () => {
  const { log, written } = createLog({ everyMs: 60_000 });
  log.note(requestOf());
  await log.stop(10_000);
  expect(written.flat()).toHaveLength(1);
  const hanging = createRequestLog({
    insert: () => new Promise(() => undefined),
    isRefused: () => false,
    logger: { warn: () => undefined },
  });
  hanging.note(requestOf());
  await hanging.stop(10);
});
