import { checkNames } from '../../../src/cli/doctor/settings.ts';
import { distance } from '../../../src/runtime/mistyped-settings.ts';

it('names the setting that a mistyped variable means, and leaves others alone', () => {
  expect(checkNames({ ENCRYPTON_KEYS: 'x' }).fix).toBe(
    'ENCRYPTON_KEYS is not a setting: did you mean ENCRYPTION_KEYS? Rename it',
  );
  const others = { PATH: '/bin', HOME: '/', NODE_OPTIONS: '', POSTGRES_PASSWORD: 'x', DATABASE_URL: 'x' };
  expect(checkNames(others)).toEqual({ name: 'setting names', ok: true, fix: null });
});

it.each([
  ['', '', 0],
  ['abc', 'abc', 0],
  ['abc', 'abd', 1],
  ['abc', 'ab', 1],
  ['abc', 'xabc', 1],
  ['abcd', 'badc', 3],
  ['', 'abc', 3],
])('the distance of %j and %j is %d', (one, other, expected) => {
  expect(distance(one, other)).toBe(expected);
  expect(distance(other, one)).toBe(expected);
});
