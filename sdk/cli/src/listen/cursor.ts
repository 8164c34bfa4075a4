import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { createSigningSecret } from '../../../../src/webhooks/signing.ts';
import { refused } from '../errors.ts';
import type { Target } from '../target.ts';

const stored = z.object({ secret: z.string().startsWith('whsec_'), after: z.string().min(1) });

/**
 * The progress of a receiver. It is on disk before the next event is sent, so that a crash repeats one event
 * and loses none.
 */
export interface Cursor {
  /** The signing secret of this receiver, which never changes. */
  readonly secret: string;
  /** Id of the last accepted event, or `start`. */
  readonly after: string;
  advance(eventId: string): Promise<void>;
}

/** Returns the path of the cursor file; each account and receiver has its own. */
export function cursorPath(
  dataDir: string,
  target: Pick<Target, 'baseUrl' | 'keyId'> & { forwardTo: string },
): string {
  const name = createHash('sha256')
    .update(JSON.stringify([target.baseUrl, target.keyId, target.forwardTo]))
    .digest('hex')
    .slice(0, 12);
  return join(dataDir, `listen-${name}.json`);
}

/**
 * Opens a cursor; a new one begins at the event that `begin` returns. Throws when the file is not a cursor.
 */
export async function openCursor(path: string, begin: () => Promise<string>): Promise<Cursor> {
  let state: z.infer<typeof stored>;
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) {
    state = { secret: createSigningSecret(), after: await begin() };
    await write(path, state);
  } else {
    try {
      state = stored.parse(JSON.parse(text));
    } catch {
      throw refused(`${path} is not a cursor: remove it to begin anew`);
    }
  }
  return {
    secret: state.secret,
    get after() {
      return state.after;
    },
    async advance(eventId) {
      state = { ...state, after: eventId };
      await write(path, state);
    },
  };
}

/** Writes the file completely or not at all, even when the machine stops during the write. */
async function write(path: string, state: z.infer<typeof stored>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(state));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}
