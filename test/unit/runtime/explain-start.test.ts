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

it('a text that is no number is named with its setting', () => {
  const read = () => readSettings({ DATABASE_URL: 'postgres://unused', API_PORT: 'abc' });
  expect(read).toThrow('API_PORT: must be a number, not "abc" (docs/configuration.md)');
});

it('a name that is almost a setting is refused, others are not', () => {
  expect(mistypedSetting({ DATABSE_URL: 'x' })).toBe(
    'DATABSE_URL is no setting: DATABASE_URL is meant; rename it',
  );
  expect(mistypedSetting({ WORKER_BUILDID: 'x' })).toMatch(/WORKER_BUILD_ID is meant/);
  expect(
    mistypedSetting({ PATH: '/bin', DATABASE_URL: 'x', TEMPORAL_TLS: '1', HOMEBREW_PREFIX: '/opt' }),
  ).toBeNull();
});
