import { databaseFault } from './database-faults.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const ports = ['API_PORT', 'PRIVATE_PORT', 'WORKER_PORT', 'CARD_FRAME_PORT'];

/**
 * Returns why a process cannot start, in one line: the setting at fault, its value unless that may be secret,
 * and the fix. Other errors are named without their data.
 */
export function explainStart(error: unknown, environment: Environment): string {
  if (!(error instanceof Error)) return 'cannot start: unknown error';
  const { code, path, port } = error as { code?: unknown; path?: unknown; port?: unknown };
  if (code === 'EADDRINUSE' || code === 'EACCES') {
    if (typeof port === 'number') {
      const setting = ports.find((name) => environment[name] === String(port)) ?? 'API_PORT';
      const why = code === 'EACCES' ? 'needs privileges' : 'is busy';
      return `${setting}: port ${port} ${why} (${code}): free it, or set another`;
    }
  }
  if (code === 'ENOENT' && typeof path === 'string') return missingFile(path, environment);
  const ofDatabase = databaseFault(String(code));
  if (ofDatabase !== undefined) return ofDatabase;
  if (error.name === 'TransportError') {
    const address = environment['TEMPORAL_ADDRESS'] || '127.0.0.1:7233';
    return `TEMPORAL_ADDRESS: Temporal does not answer at ${address}: start it, or correct the address and its TLS settings`;
  }
  return typeof code === 'string'
    ? `cannot start: ${error.name} ${code}`
    : `cannot start: ${error.name}: ${error.message.split('\n')[0]}`;
}

/** Writes one line to stderr on why the start waits for PostgreSQL. */
export function logWaiting(error: unknown): void {
  const { code } = (error ?? {}) as { code?: unknown };
  const why =
    databaseFault(String(code)) ??
    'DATABASE_URL: PostgreSQL does not answer: start it, or correct the address';
  process.stderr.write(`${why}; waiting for it\n`);
}

function missingFile(path: string, environment: Environment): string {
  const named = Object.entries(environment).find(
    ([name, value]) => /^(TEMPORAL_|DATABASE_URL$|NODE_EXTRA_CA_CERTS$)/.test(name) && value?.includes(path),
  );
  return `${named ? `${named[0]}: ` : ''}the file ${path} does not exist (ENOENT): create it, or correct the path`;
}
