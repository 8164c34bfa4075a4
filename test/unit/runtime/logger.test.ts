import { Writable } from 'node:stream';
import { createLogger, safeError, withLineIds } from '../../../src/runtime/logger.ts';

it('logs the frames of an error and no line of its message', () => {
  const quoted = 'what was sent\n    at secret (/v1/c/token:1:1)\n    at another:2:2';
  const logged = safeError(new SyntaxError(quoted, { cause: new Error(quoted) }));
  const text = JSON.stringify(logged);
  expect(text).not.toMatch(/what was sent|secret|another/);
  expect(logged).toMatchObject({ type: 'SyntaxError', cause: { type: 'Error' } });
  expect(String((logged['frames'] as string[])[0])).toContain('logger.test.ts');
});

it('names what a line belongs to, also after a wait, and keeps what the line names itself', async () => {
  const lines: Record<string, unknown>[] = [];
  const to = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const logger = createLogger('worker', 'info', to);
  await withLineIds({ paymentId: 'p1', reqId: 'r1' }, async () => {
    await Promise.resolve();
    logger.info('first');
    logger.info({ paymentId: 'p2' }, 'second');
  });
  logger.info('third');
  expect(lines).toMatchObject([
    { msg: 'first', paymentId: 'p1', reqId: 'r1' },
    { msg: 'second', paymentId: 'p2', reqId: 'r1' },
    { msg: 'third' },
  ]);
  expect(lines[2]).not.toHaveProperty('paymentId');
});
