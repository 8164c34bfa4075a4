import { refuseOpenTemporal } from '../../../src/temporal/connection.ts';

const kept = { ...process.env };
afterEach(() => {
  process.env = { ...kept };
});

it('production refuses a connection to Temporal without TLS and client authentication', () => {
  expect(refuseOpenTemporal(false)).toBeNull();
  expect(refuseOpenTemporal(true)).toContain('needs TLS to Temporal');
  process.env['TEMPORAL_TLS'] = 'true';
  expect(refuseOpenTemporal(true)).toContain('needs TLS to Temporal');
  process.env['TEMPORAL_API_KEY'] = 'a key';
  expect(refuseOpenTemporal(true)).toBeNull();
});

it('a client certificate authenticates the client', () => {
  process.env['TEMPORAL_TLS_CLIENT_CERT_DATA'] = 'certificate';
  process.env['TEMPORAL_TLS_CLIENT_KEY_DATA'] = 'key';
  expect(refuseOpenTemporal(true)).toBeNull();
});
