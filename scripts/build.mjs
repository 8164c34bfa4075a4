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
import { withLock } from './lib/lock.mjs';
import { Problem, reportingProblems, say } from './lib/problem.mjs';

/** What is compiled, and what is copied beside the compiled modules. */
const SOURCES = ['src', 'simulators', 'local-stack'];
/** Helpers that compiled modules import as they are. */
const COPIED = ['scripts/lib', 'scripts/test-server'];
const DIST = join(root, 'dist');
const CACHE = join(root, '.cache');
const RECORD = join(DIST, '.build.json');
const BUILD_TIMEOUT_MS = 5 * 60_000;
/** What the output depends on beside the sources. */
const INPUTS = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/build.mjs'];

/**
 * Brings dist/ up to date with the sources: compiled modules, the files that stand beside them (SQL, styles, browser
 * scripts), the workflow bundle. Does nothing when the sources are those of the last build. The tree is built aside
 * and moved into place, so removed sources leave nothing behind and a parallel start never sees half of it.
 *
 * `strict`: an error fails the build; otherwise it is reported and what came out is used (tests want to run then).
 */
export async function build({ strict }) {
  const hash = hashSources();
  if (isBuilt(hash, strict)) return;
  await withLock(
    join(CACHE, 'build.lock'),
    {
      timeoutMs: BUILD_TIMEOUT_MS,
      onWait: (holder) => say(`… waiting for process ${holder.pid}, which is building`),
    },
    async () => {
      if (!isBuilt(hash, strict)) await buildInto(join(CACHE, `build-${process.pid}`), hash, strict);
    },
  );
}

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

function sourceFiles() {
  return [...SOURCES, ...COPIED].flatMap((name) => filesUnder(join(root, name)));
}

function filesUnder(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

async function buildInto(scratch, hash, strict) {
  const startedAt = Date.now();
  say('… building');
  removeAbandonedBuilds();
  mkdirSync(scratch, { recursive: true });
  try {
    const compiled = await compile(scratch, strict);
    copyAssets(scratch);
    const bundled = await bundleWorkflows(scratch, strict);
    const clean = compiled && bundled;
    writeFileSync(join(scratch, '.build.json'), JSON.stringify({ hash, clean }));
    replaceDist(scratch);
    say(`✔ built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Under the lock nobody else builds: what lies there was left by a build that was killed. */
function removeAbandonedBuilds() {
  for (const name of readdirSync(CACHE)) {
    if (/^(build|old)-\d+$/.test(name)) rmSync(join(CACHE, name), { recursive: true, force: true });
  }
}

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

function copyAssets(scratch) {
  for (const path of sourceFiles()) {
    if (!/\.tsx?$/.test(path)) cpSync(path, join(scratch, relative(root, path)));
  }
}

async function bundleWorkflows(scratch, strict) {
  const entry = join(scratch, 'src', 'worker', 'bundle.js');
  const code = existsSync(entry) ? await run(process.execPath, [entry]) : 0;
  if (code !== 0 && strict) throw new Problem('the workflows could not be bundled: see above');
  return code === 0;
}

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
