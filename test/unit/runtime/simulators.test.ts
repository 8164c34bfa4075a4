import { readSettings } from '../../../src/runtime/settings.ts';
import { simulatorsOf } from '../../../src/runtime/simulators.ts';

const of = (given: Record<string, string>) =>
  simulatorsOf(readSettings({ DATABASE_URL: 'postgres://a@127.0.0.1/b', ...given }));

it('live has no simulators unless the settings name its own', () => {
  expect(of({}).live).toBeNull();
  const { sandbox, live } = of({
    LIVE_VAULT_URL: 'http://127.0.0.1:4011',
    LIVE_NETWORK_URL: 'http://127.0.0.1:4021',
  });
  expect(live).toMatchObject({ vaultUrl: 'http://127.0.0.1:4011', networkUrl: 'http://127.0.0.1:4021' });
  expect(live?.networkServiceKey).not.toBe(sandbox.networkServiceKey);
  expect(live?.vaultServiceKey).not.toBe(sandbox.vaultServiceKey);
});

it.each([
  ['the vault alone', { LIVE_VAULT_URL: 'http://127.0.0.1:4011' }, /go together/],
  [
    "the sandbox's network",
    { LIVE_VAULT_URL: 'http://127.0.0.1:4011', LIVE_NETWORK_URL: 'http://127.0.0.1:4020' },
    /give live its own/,
  ],
  [
    "the sandbox's vault, written otherwise",
    { LIVE_VAULT_URL: 'http://127.0.0.1:4010/other', LIVE_NETWORK_URL: 'http://127.0.0.1:4021' },
    /give live its own/,
  ],
])('refuses %s in one line', (_name, given, line) => {
  expect(() => of(given)).toThrow(line);
});
