import { randomBytes } from 'node:crypto';
import { access, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, SettingsError } from '../process.ts';

const KEY_BYTES = 32;

/** Returns the vault's key in `file`. The first call creates a random one there (mode 0600). */
export async function readMasterKey(file: string): Promise<Buffer> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  if (!(await exists(file))) await makeKey(file);
  const key = decodeMasterKey(await readFile(file, 'utf8'));
  if (!key)
    throw new SettingsError(
      `${file} is damaged: restore it, or remove the vault's data directory to start fresh.`,
    );
  return key;
}

/** Writes the file completely or not at all, because half a key would make every card unreadable. */
async function makeKey(file: string): Promise<void> {
  const temporary = `${file}.new`;
  const handle = await open(temporary, 'w', 0o600);
  await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
  await handle.sync();
  await handle.close();
  await rename(temporary, file);
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Returns 32 bytes from base64, or null when `text` is anything else. */
export function decodeMasterKey(text: string): Buffer | null {
  const trimmed = text.trim();
  const key = Buffer.from(trimmed, 'base64');
  return key.length === KEY_BYTES && key.toString('base64') === trimmed ? key : null;
}
