import './lib/node-version.mjs';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lib/lock.mjs';
import { Problem, errorCode, logLine } from './lib/problem.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const LOCK_FILE = join(root, 'package-lock.json');
const NODE_MODULES = join(root, 'node_modules');
/** npm's own record of what it installed. */
const INSTALLED = join(NODE_MODULES, '.package-lock.json');
/** Our record of the lock file that this tree matches. `npm ci` removes it together with the tree. */
const MARKER = join(NODE_MODULES, '.card-payments-install');
const INSTALL_TIMEOUT_MS = 15 * 60_000;

/**
 * Makes node_modules match package-lock.json, running `npm ci` only when it does not. Two may run at once:
 * the second waits and finds the work done. Throws Problem when npm is missing or fails.
 */
export async function bootstrap() {
  if (isInstalled()) return;
  await withLock(
    join(root, '.cache', 'install.lock'),
    {
      timeoutMs: INSTALL_TIMEOUT_MS,
      onWait: (holder) =>
        logLine(`… waiting for process ${holder.pid}, which is installing the dependencies`),
    },
    async () => {
      if (isInstalled()) return;
      await install();
      writeFileSync(MARKER, wantedMarker());
    },
  );
}

function isInstalled() {
  const marker = wantedMarker();
  if (readOptional(MARKER) === marker) return true;
  if (!matchesLock()) return false;
  writeFileSync(MARKER, marker);
  return true;
}

/**
 * Includes the platform, because a tree shared by a machine and a container has the binaries of only one of
 * them.
 */
function wantedMarker() {
  const lock = createHash('sha256').update(readFileSync(LOCK_FILE)).digest('hex');
  return `${lock} ${process.platform}-${process.arch}\n`;
}

/** True when a user's own `npm ci` already brought every package of the lock file at its version. */
function matchesLock() {
  const installed = readOptional(INSTALLED);
  // A tree that was installed on another platform does not match. A marker for another lock is ignored,
  // because npm's own record decides.
  if (installed === undefined || builtElsewhere()) return false;
  const have = packagesOf(installed);
  return Object.entries(packagesOf(readFileSync(LOCK_FILE, 'utf8'))).every(
    ([path, wanted]) => path === '' || wanted.optional || have[path]?.version === wanted.version,
  );
}

/**
 * The packages of a lock file, by their path below the root.
 * @param {string} text
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
function packagesOf(text) {
  return JSON.parse(text).packages;
}

function builtElsewhere() {
  const marker = readOptional(MARKER);
  return marker !== undefined && !marker.endsWith(` ${process.platform}-${process.arch}\n`);
}

async function install() {
  const startedAt = Date.now();
  logLine('… installing the dependencies (npm ci), once');
  const { command, args } = npm();
  // Development packages hold PostgreSQL and the compiler: they are needed whatever NODE_ENV says.
  const code = await run(command, [
    ...args,
    'ci',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  if (code !== 0)
    throw new Problem(`npm ci failed with exit code ${code}: see its lines above, mend that, start again`);
  logLine(`✔ dependencies installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

function npm() {
  const candidates = [
    process.env.npm_execpath,
    join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  const script = candidates.find(
    (path) => path !== undefined && basename(path) === 'npm-cli.js' && existsSync(path),
  );
  return script ? { command: process.execPath, args: [script] } : { command: 'npm', args: [] };
}

/**
 * Runs a command with its output on our stderr; returns its exit code, 1 when a signal ended it. A signal
 * that ends this process ends the command too.
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
export function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
    /** @param {NodeJS.Signals} signal */
    const stop = (signal) => {
      child.kill(signal);
      process.exit(signal === 'SIGINT' ? 130 : 143);
    };
    const unlisten = () => process.off('SIGINT', stop).off('SIGTERM', stop);
    process.on('SIGINT', stop).on('SIGTERM', stop);
    child.on('error', (error) => {
      unlisten();
      reject(errorCode(error) === 'ENOENT' ? missing(command) : error);
    });
    child.on('exit', (code) => {
      unlisten();
      resolve(code ?? 1);
    });
  });
}

/** @param {string} command */
function missing(command) {
  return new Problem(`${command} was not found: install it and put it on the PATH`);
}

/** @param {string} path */
function readOptional(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
