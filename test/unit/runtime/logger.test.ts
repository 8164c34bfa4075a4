import { safeError } from '../../../src/runtime/logger.ts';

it('logs the frames of an error and no line of its message', () => {
  const quoted = 'what was sent\n    at secret (/v1/c/token:1:1)\n    at another:2:2';
  const logged = safeError(new SyntaxError(quoted, { cause: new Error(quoted) }));
  const text = JSON.stringify(logged);
  expect(text).not.toMatch(/what was sent|secret|another/);
  expect(logged).toMatchObject({ type: 'SyntaxError', cause: { type: 'Error' } });
  expect(String((logged['frames'] as string[])[0])).toContain('logger.test.ts');
});
