/** `npm run docs:bruno`: writes `examples/bruno`, a collection for Bruno, from the OpenAPI document. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './bootstrap.mjs';
import { build } from './build.mjs';
import { brunoFiles } from './lib/bruno-files.mjs';

await build({ strict: false });
const service = await import(new URL('../dist/src/api/docs/document.js', import.meta.url).href);
const target = join(root, 'examples', 'bruno');
for (const name of readdirSync(target).filter((each) => each !== 'README.md'))
  rmSync(join(target, name), { recursive: true });
for (const [name, text] of Object.entries(brunoFiles(service.openApiDocument('https://pay.example')))) {
  mkdirSync(dirname(join(target, name)), { recursive: true });
  writeFileSync(join(target, name), text);
}
