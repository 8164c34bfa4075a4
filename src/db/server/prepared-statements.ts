import { createHash } from 'node:crypto';
import pg from 'pg';

/**
 * Statements that are named at most: the service's own are far fewer. This is no cache: a connection keeps
 * what it prepared until it ends, so that a forgotten name would free nothing, and a new one would add to it.
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
 * A connection that has PostgreSQL prepare each statement with values once, by name, and only run it from
 * then on. Statements must be few: whatever differs belongs into the values.
 */
export class PreparingClient extends pg.Client {
  // One signature for the many of pg; what comes in goes on as it is.
  override query(...given: unknown[]): never {
    const [text, values, ...rest] = given;
    const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : null;
    const run = super.query.bind(this) as (...args: unknown[]) => never;
    return name === null ? run(...given) : run({ name, text, values }, ...rest);
  }
}
