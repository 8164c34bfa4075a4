import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { misused } from '../errors.ts';

const stored = z.object({ baseUrl: z.string().min(1), apiKey: z.string().min(1) });
export type Login = z.infer<typeof stored>;

/** Returns the path of the file that stores the key. */
export function loginPath(): string {
  const own = process.env['XDG_CONFIG_HOME'];
  const base = own === undefined || own === '' ? join(homedir(), '.config') : own;
  return join(base, 'card-payments', 'login.json');
}

/** Returns the stored login; null where there is none. */
export function readLogin(): Login | null {
  let text: string;
  try {
    text = readFileSync(loginPath(), 'utf8');
  } catch {
    return null;
  }
  try {
    return stored.parse(JSON.parse(text));
  } catch {
    throw misused(`${loginPath()} cannot be read as a login: run card-payments logout, then login again.`);
  }
}

/** Stores a login that only its user can read. The file is never readable by others, not even briefly. */
export function writeLogin(login: Login): void {
  const path = loginPath();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(`${path}.new`, { force: true });
  writeFileSync(`${path}.new`, JSON.stringify(login), { mode: 0o600, flag: 'wx' });
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
}

/** Removes the login. */
export function removeLogin(): void {
  rmSync(loginPath(), { force: true });
}
