/**
 * `npm run docs:build`: builds the site of `docs/` into `dist-site/`, as files that any web server can serve
 * below `/guides/`. Does nothing when they are those of the sources. A dead link fails the build.
 * `--lowest-priority`: leaves the processor to everything else.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants as osConstants, setPriority } from 'node:os';
import { extname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { bootstrap, root } from '../bootstrap.mjs';
import { withLock } from '../lib/lock.mjs';
import { Problem, reportingProblems, logLine } from '../lib/problem.mjs';
import { llmsText } from './llms.mjs';
import { stageSite } from './stage.mjs';

const target = join(root, 'dist-site');
const buildMs = 10 * 60_000;
const compressed = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt', '.md']);

/** @param {string} directory @returns {string[]} */
const filesBelow = (directory) =>
  readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .toSorted();

function hashSources() {
  const hash = createHash('sha256');
  const folders = ['docs', 'scripts/site', 'sdk/typescript/README.md', 'sdk/python/README.md', 'examples'];
  const files = folders
    .map((name) => join(root, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => (extname(path) === '' ? filesBelow(path) : [path]))
    .filter((path) => !/node_modules|\.next|__pycache__/.test(path));
  for (const path of [...files, join(root, 'package-lock.json')]) {
    hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} hash */
function isBuilt(hash) {
  const record = join(target, 'site.json');
  return existsSync(record) && JSON.parse(readFileSync(record, 'utf8')).sources === hash;
}

/** @param {string} hash */
async function buildInto(hash) {
  const startedAt = Date.now();
  const scratch = join(root, '.cache', 'site');
  rmSync(scratch, { recursive: true, force: true });
  const source = join(scratch, 'source');
  mkdirSync(source, { recursive: true });
  const pages = stageSite(root, source);
  const files = join(scratch, 'files');
  const { build } = await import('vitepress').catch(() => {
    throw new Problem('the guides need the development packages: run npm ci');
  });
  await build(source, { outDir: files });
  for (const { page } of pages) cpSync(join(source, page), join(files, page));
  writeFileSync(join(files, 'llms.txt'), llmsText(pages, root));
  describe(files, hash);
  rmSync(`${target}-old`, { recursive: true, force: true });
  if (existsSync(target)) renameSync(target, `${target}-old`);
  renameSync(files, target);
  rmSync(`${target}-old`, { recursive: true, force: true });
  rmSync(scratch, { recursive: true, force: true });
  logLine(`✔ guides built in ${((Date.now() - startedAt) / 1000).toFixed(0)} s: ${pages.length} pages`);
}

/**
 * Compresses the files, and writes beside them what their server needs: their names, and the hashes of the
 * inline scripts, which the policy allows.
 * @param {string} files
 * @param {string} hash
 */
function describe(files, hash) {
  /** @type {Set<string>} */
  const scripts = new Set();
  const names = filesBelow(files);
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  for (const path of names) {
    const bytes = readFileSync(path);
    if (path.endsWith('.html')) {
      for (const [, script = ''] of bytes
        .toString()
        .matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)) {
        scripts.add(`sha256-${createHash('sha256').update(script).digest('base64')}`);
      }
    }
    if (!compressed.has(extname(path))) continue;
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: quality }));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
  const record = {
    sources: hash,
    scripts: [...scripts].toSorted((a, b) => a.localeCompare(b)),
    files: names.map((path) => relative(files, path).replaceAll('\\', '/')),
  };
  writeFileSync(join(files, 'site.json'), JSON.stringify(record));
}

if (process.argv.includes('--lowest-priority')) setPriority(osConstants.priority.PRIORITY_LOW);

await reportingProblems(async () => {
  await bootstrap();
  mkdirSync(join(root, '.cache'), { recursive: true });
  const hash = hashSources();
  if (isBuilt(hash)) return;
  await withLock(join(root, '.cache', 'site.lock'), { timeoutMs: buildMs, onWait: () => {} }, async () => {
    if (!isBuilt(hash)) await buildInto(hash);
  });
});
