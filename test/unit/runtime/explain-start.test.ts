import { explainStart } from '../../../src/runtime/explain-start.ts';
import { mistypedSetting } from '../../../src/runtime/mistyped-settings.ts';
import { readSettings } from '../../../src/runtime/settings.ts';

const failure = (name: string, more: object): Error => Object.assign(new Error('raw text'), { name }, more);

it.each([
  [
    failure('Error', { code: 'EADDRINUSE', port: 3001 }),
    'PRIVATE_PORT: port 3001 is busy (EADDRINUSE): free it, or set another',
  ],
  [
    failure('Error', { code: 'EADDRINUSE', port: 3000 }),
    'API_PORT: port 3000 is busy (EADDRINUSE): free it, or set another',
  ],
  [
    failure('Error', { code: 'EACCES', port: 80 }),
    'API_PORT: port 80 needs privileges (EACCES): free it, or set another',
  ],
  [
    failure('Error', { code: 'ENOENT', path: '/etc/tls/client.pem' }),
    'TEMPORAL_TLS_CLIENT_CERT_PATH: the file /etc/tls/client.pem does not exist (ENOENT): create it, or correct the path',
  ],
  [
    failure('Error', { code: 'ENOENT', path: '/etc/ca.pem' }),
    'DATABASE_URL: the file /etc/ca.pem does not exist (ENOENT): create it, or correct the path',
  ],
  [
    failure('TransportError', {}),
    'TEMPORAL_ADDRESS: Temporal does not answer at temporal:7233: start it, or correct the address and its TLS settings',
  ],
  [
    failure('error', { code: '28P01' }),
    'DATABASE_URL: PostgreSQL refused the password (28P01): correct user and password',
  ],
  [
    failure('error', { code: '3D000' }),
    'DATABASE_URL: the database does not exist (3D000): create it, or correct its name',
  ],
  [
    failure('Error', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
    'DATABASE_URL: the certificate of PostgreSQL is for another name: use a host that it names, or create one for ' +
      'this host (docs/operations.md, "Several hosts")',
  ],
  [
    failure('Error', { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
    'DATABASE_URL: the certificate of PostgreSQL is not from a known authority: name the file of its authority by ' +
      'sslrootcert in the URL (docs/operations.md, "Several hosts")',
  ],
])('%s is one line with the setting, what is wrong and the fix', (error, line) => {
  const environment = {
    PRIVATE_PORT: '3001',
    TEMPORAL_ADDRESS: 'temporal:7233',
    TEMPORAL_TLS_CLIENT_CERT_PATH: '/etc/tls/client.pem',
    DATABASE_URL: 'postgres://user:pw@db/x?sslrootcert=/etc/ca.pem',
  };
  expect(explainStart(error, environment)).toBe(line);
});

it.each([
  ['API_PORT', 'abc', 'API_PORT: must be a number, not "abc" (docs/configuration.md)'],
  ['SWEEP_SECONDS', '-1', 'SWEEP_SECONDS: must be at least 1, not "-1" (docs/configuration.md)'],
  ['API_PORT', '70000', 'API_PORT: must be at most 65535, not "70000" (docs/configuration.md)'],
  [
    'LOG_LEVEL',
    'loud',
    'LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent, not "loud" (docs/configuration.md)',
  ],
  [
    'PUBLIC_URL',
    'shop.example',
    'PUBLIC_URL: must be a whole URL, such as https://pay.example (docs/configuration.md)',
  ],
])('a wrong %s is one line with the setting and what is accepted', (name, value, line) => {
  expect(() => readSettings({ DATABASE_URL: 'postgres://unused', [name]: value })).toThrow(line);
});

it('a name that is almost a setting is refused, others are not', () => {
  expect(mistypedSetting({ DATABSE_URL: 'x' })).toBe(
    'DATABSE_URL is not a setting: did you mean DATABASE_URL? Rename it',
  );
  expect(mistypedSetting({ WORKER_BUILDID: 'x' })).toMatch(/did you mean WORKER_BUILD_ID\?/);
  expect(
    mistypedSetting({ PATH: '/bin', DATABASE_URL: 'x', TEMPORAL_TLS: '1', HOMEBREW_PREFIX: '/opt' }),
  ).toBeNull();
});
