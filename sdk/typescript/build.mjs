/**
 * `npm run sdk:build [-- FOLDER]`: compiles the package into FOLDER (by default its own `dist`), once as
 * ECMAScript modules and once as CommonJS, with declarations.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const target = resolve(process.argv[2] ?? join(here, 'dist'));

/** @param {string} folder @param {string[]} options */
function compile(folder, options) {
  const common = ['--noEmit', 'false', '--outDir', join(target, folder)];
  execFileSync(process.execPath, [compiler, '-p', here, ...common, ...options], { stdio: 'inherit' });
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
compile('esm', []);
compile('cjs', ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false']);
// The package is of type module; this folder is CommonJS.
writeFileSync(join(target, 'cjs', 'package.json'), '{"type":"commonjs"}\n');
// The document's types are the largest file. Both builds share them: modules may import CommonJS.
writeFileSync(join(target, 'esm', 'openapi.d.ts'), "export type * from '../cjs/openapi.js';\n");
