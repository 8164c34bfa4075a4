import { bootstrap, root, run } from './bootstrap.mjs';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeComponents } from './lib/components.mjs';
import { writeDashboardIcons } from './lib/dashboard-icons.mjs';
import { withLock } from './lib/lock.mjs';
import { Problem, reportingProblems, logLine } from './lib/problem.mjs';
import { writeReferenceRenderer } from './lib/reference-renderer.mjs';

/**
 * Folders beside those in tsconfig.build.json: helpers that compiled modules import, and files that one of
 * them reads.
 */
const HELPERS = ['scripts/lib', 'scripts/test-server'];
const DIST = join(root, 'dist');
const CACHE = join(root, '.cache');
const RECORD = join(DIST, '.build.json');
const BUILD_TIMEOUT_MS = 5 * 60_000;
/** The files on which the output depends, beside the sources. */
const INPUTS = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/build.mjs'];

/**
 * Brings dist/ up to date with the sources: compiled modules, the files that stand beside them (SQL, styles,
 * browser scripts), the workflow bundle. Does nothing when the sources are those of the last build. The tree
 * is built aside and moved into place, so that removed sources leave no output and a parallel start never
 * sees a partial one.
 *
 * `strict`: an error fails the build; otherwise it is reported and what came out is used (tests want to run
 * then).
 * @param {{ strict: boolean }} options
 */
export async function build({ strict }) {
  const hash = hashSources();
  if (isBuilt(hash, strict)) return;
  await withLock(
    join(CACHE, 'build.lock'),
    {
      timeoutMs: BUILD_TIMEOUT_MS,
      onWait: (holder) => logLine(`… waiting for process ${holder.pid}, which is building`),
    },
    async () => {
      if (!isBuilt(hash, strict)) await buildInto(join(CACHE, `build-${process.pid}`), hash, strict);
    },
  );
}

/**
 * @param {string} hash
 * @param {boolean} strict
 */
function isBuilt(hash, strict) {
  if (!existsSync(RECORD)) return false;
  const record = JSON.parse(readFileSync(RECORD, 'utf8'));
  return record.hash === hash && (record.clean || !strict);
}

function hashSources() {
  const hash = createHash('sha256');
  for (const path of [...sourceFiles(), ...INPUTS.map((name) => join(root, name))]) {
    hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

/**
 * Returns the files to compile, and the files beside them. A folder may be missing: an image is built without
 * the tests' tools.
 */
function sourceFiles() {
  return [...compiledFolders(), ...HELPERS]
    .map((name) => join(root, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => filesUnder(path))
    .filter((path) => !/\.test\.tsx?$/.test(path));
}

/** @returns {Set<string>} */
function compiledFolders() {
  /** @type {{ include: string[] }} */
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
  return new Set(include.map((pattern) => pattern.replace(/\/\*\*.*$/, '')));
}

/** @param {string} directory */
function filesUnder(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/**
 * @param {string} scratch
 * @param {string} hash
 * @param {boolean} strict
 */
async function buildInto(scratch, hash, strict) {
  const startedAt = Date.now();
  logLine('… building');
  removeAbandonedBuilds();
  mkdirSync(scratch, { recursive: true });
  try {
    const compiled = await compile(scratch, strict);
    copyAssets(scratch);
    writeReferenceRenderer(root, scratch);
    await writeDashboardIcons(root, scratch);
    // Its packages are installed by now. A first start reads this file before that.
    const { writeDashboardLicences, writeDashboardStyle } = await import('./lib/dashboard-style.mjs');
    await writeDashboardStyle(root, scratch);
    writeDashboardLicences(root, scratch);
    const bundled = await bundleWorkflows(scratch, strict);
    writeComponents(root, scratch);
    const clean = compiled && bundled;
    writeFileSync(join(scratch, '.build.json'), JSON.stringify({ hash, clean }));
    replaceDist(scratch);
    logLine(`✔ built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Removes what a killed build left: under the lock no other build is running. */
function removeAbandonedBuilds() {
  for (const name of readdirSync(CACHE)) {
    if (/^(build|old)-\d+$/.test(name)) rmSync(join(CACHE, name), { recursive: true, force: true });
  }
}

/**
 * @param {string} scratch
 * @param {boolean} strict
 */
async function compile(scratch, strict) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const code = await run(process.execPath, [
    tsc,
    '-p',
    'tsconfig.build.json',
    '--outDir',
    scratch,
    '--tsBuildInfoFile',
    join(scratch, '.tsbuildinfo'),
    '--pretty',
    'false',
  ]);
  if (code !== 0 && strict) throw new Problem('the sources do not compile: mend the type errors above');
  return code === 0;
}

/** @param {string} scratch */
function copyAssets(scratch) {
  for (const path of sourceFiles()) {
    if (!/\.(tsx?|mjs)$/.test(path)) cpSync(path, join(scratch, relative(root, path)));
  }
}

/**
 * @param {string} scratch
 * @param {boolean} strict
 */
async function bundleWorkflows(scratch, strict) {
  const entry = join(scratch, 'src', 'worker', 'bundle.js');
  const code = existsSync(entry) ? await run(process.execPath, [entry]) : 0;
  if (code !== 0 && strict) throw new Problem('the workflows could not be bundled: see above');
  return code === 0;
}

/** @param {string} scratch */
function replaceDist(scratch) {
  const old = join(CACHE, `old-${process.pid}`);
  if (existsSync(DIST)) renameSync(DIST, old);
  renameSync(scratch, DIST);
  rmSync(old, { recursive: true, force: true });
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  await reportingProblems(async () => {
    await bootstrap();
    await build({ strict: true });
  });
}
