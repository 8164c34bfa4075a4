import { isIPv4 } from 'node:net';
import pg from 'pg';

const fix =
  'add sslmode=verify-full to it (and sslrootcert=FILE for an authority of your own), or use a unix socket ' +
  'or a loopback address, for DEPLOYMENT=production (docs/operations.md, "TLS to PostgreSQL")';

/**
 * Returns why others could read or answer the connection that `url` describes; null if it stays on this
 * machine or the server must prove its name. The text continues a sentence that begins with the setting, and
 * ends with the fix. The driver itself parses the URL and the PG* variables, because for example
 * `sslmode=require` verifies in some of its versions and not in others. Nothing of the URL is quoted.
 */
export function unprotectedConnection(url: string): string | null {
  let connection: { host: string; ssl: unknown };
  try {
    connection = new pg.Client({ connectionString: url });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'malformed';
    return `cannot be used (${code}): correct it; ${fix}`;
  }
  if (staysHere(connection.host) || verifies(connection.ssl)) return null;
  return `leads over a network without verified TLS: ${fix}`;
}

function staysHere(host: string): boolean {
  const loopback = (isIPv4(host) && host.startsWith('127.')) || host === '::1';
  return loopback || host.startsWith('/') || host === 'localhost';
}

/** Returns whether the server must prove its name, given a TLS option of the driver and Node's defaults. */
function verifies(ssl: unknown): boolean {
  if (ssl === true) return true;
  if (typeof ssl !== 'object' || ssl === null) return false;
  return !('rejectUnauthorized' in ssl && ssl.rejectUnauthorized !== true) && !('checkServerIdentity' in ssl);
}
