/**
 * `npm run cli:build [-- FOLDER]`: bundles the command with everything that it uses into FOLDER (by default
 * its own `dist`), with the licences of what it contains.
 */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licencesOf } from '../../scripts/lib/third-party-licences.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = resolve(here, '..', '..');
const target = resolve(process.argv[2] ?? join(here, 'dist'));

rmSync(target, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [join(here, 'src', 'main.ts')],
  outdir: target,
  bundle: true,
  // A command loads only the parts that it uses: only `mcp` loads the protocol's library.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  metafile: true,
  // Bundled CommonJS calls `require` for the modules of Node.js.
  banner: {
    js: "import{createRequire as cardPaymentsCreateRequire}from'node:module';const require=cardPaymentsCreateRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
writeFileSync(
  join(target, 'third-party-licenses.txt'),
  licencesOf(root, packagesOf(Object.keys(metafile.inputs))),
);
chmodSync(join(target, 'main.js'), 0o755);

/**
 * Returns the folders of the packages that files belong to.
 * @param {string[]} files
 */
function packagesOf(files) {
  return new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
}
