import { createHash } from 'node:crypto';
import pg from 'pg';

/**
 * The most statements that are named; the service has far fewer. Names are never dropped: a connection keeps
 * what it prepared until it ends, so that dropping a name would free nothing, and a new name would add to it.
 */
const mostNames = 1_000;
const names = new Map<string, string>();

/** Returns the name of a statement, the same in every process; null once there are too many. */
function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= mostNames) return null;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  names.set(text, name);
  return name;
}

/**
 * A connection that lets PostgreSQL prepare each statement with values once, by name, and afterwards only
 * executes it. The number of statements must be small: whatever varies must be a value.
 */
export class PreparingClient extends pg.Client {
  // One signature for the many of pg; the arguments are passed on unchanged.
  override query(...given: unknown[]): never {
    const [text, values, ...rest] = given;
    const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : null;
    const run = super.query.bind(this) as (...args: unknown[]) => never;
    return name === null ? run(...given) : run({ name, text, values }, ...rest);
  }
}
