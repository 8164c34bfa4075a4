import { checkUnreplayable } from './replay-checks.ts';

it.each([
  [0, 12, 0],
  [1, 12, 0],
  [2, 12, 1],
  [3, 300, 0],
  [4, 300, 1],
])('I20: %i histories of %i payments that do not replay are %i violations', (found, payments, violations) => {
  expect(checkUnreplayable(found, payments)).toHaveLength(violations);
});
