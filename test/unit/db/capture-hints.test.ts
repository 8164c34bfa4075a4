import { attemptNoOf } from '../../../src/db/payments/capture-hints.ts';

const id = '01931c5e-0000-7000-8000-000000000000';

it.each([
  [`${id}:1`, 1],
  [`${id}:1000`, 1000],
  [`${id}:1001`, null],
  [`${id}:0`, null],
  [`${id}:01`, null],
  [`${id}:1.5`, null],
  [`${id}:-1`, null],
  [`${id}:`, null],
  [`${id}:1e2`, null],
  ['01931c5e-0000-7000-8000-000000000001:1', null],
  ['', null],
])('reads the attempt from the key %j', (key, attemptNo) => {
  expect(attemptNoOf(id, key)).toBe(attemptNo);
});
