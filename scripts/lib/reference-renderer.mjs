import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/**
 * Copies the bundle that renders the API reference from its package into a build, with its compressed forms:
 * compressing it takes half a second, for which a serving process should not stop.
 * @param {string} root
 * @param {string} target folder of the build
 */
export function writeReferenceRenderer(root, target) {
  const source = join(root, 'node_modules/@scalar/fastify-api-reference/dist/js/standalone.js');
  const directory = join(target, 'src/api/docs/assets');
  mkdirSync(directory, { recursive: true });
  const bytes = readFileSync(source);
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(join(directory, 'renderer.js'), bytes);
  writeFileSync(join(directory, 'renderer.js.br'), brotliCompressSync(bytes, { params: quality }));
  writeFileSync(join(directory, 'renderer.js.gz'), gzipSync(bytes, { level: 9 }));
}
