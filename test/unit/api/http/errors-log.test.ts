import { Writable } from 'node:stream';
import Fastify from 'fastify';
import { handleError } from '../../../../src/api/http/errors.ts';
import { Refusal } from '../../../../src/domain/refusals.ts';
import { createLogger } from '../../../../src/runtime/logger.ts';

/** Returns the log lines of a route that throws `error`, without request lines. */
async function logged(error: Error): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const app = Fastify({
    loggerInstance: createLogger('api', 'warn', stream),
    disableRequestLogging: true,
  });
  app.setErrorHandler(handleError);
  app.get('/v1/payments/:id', () => {
    throw error;
  });
  await app.inject('/v1/payments/0198a7c1-secret');
  await app.close();
  return lines;
}

it('a 503 logs its cause: names, codes and frames, no message, no address', async () => {
  const grpc = Object.assign(new Error('4 DEADLINE_EXCEEDED: for card 4242'), { code: 4 });
  const cause = new Error('Workflow Update failed for 4242', { cause: grpc });
  const lines = await logged(new Refusal('service_unavailable', { cause }));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    msg: 'a dependency is unavailable',
    route: '/v1/payments/:id',
    err: { type: 'Error', cause: { code: 4 } },
  });
  const text = JSON.stringify(lines);
  expect(text).not.toContain('4242');
  expect(text).not.toContain('0198a7c1');
});

it('a refusal caused by the caller is not logged', async () => {
  expect(await logged(new Refusal('payment_in_progress'))).toEqual([]);
  expect(await logged(new Refusal('service_unavailable'))).toEqual([]);
});
