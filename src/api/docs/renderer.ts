import { readFile } from 'node:fs/promises';
import type { SharedDocument } from './shared-document.ts';
import { sharedDocument } from './shared-document.ts';

const contentType = 'text/javascript; charset=utf-8';
const built = (ending: string): URL => new URL(`./assets/renderer.js${ending}`, import.meta.url);
/** The location of the package when the sources run without a build. */
const packaged = new URL(
  '../../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js',
  import.meta.url,
);

/**
 * Returns the renderer's bundle as the build copied and compressed it (ADR 0055). Without a build, returns
 * the bundle of the installed package.
 */
export async function readRenderer(): Promise<SharedDocument> {
  try {
    const [plain, brotli, gzip] = await Promise.all(
      ['', '.br', '.gz'].map((ending) => readFile(built(ending))),
    );
    if (plain && brotli && gzip) return { contentType, plain, brotli, gzip };
  } catch {
    // There is no build: read the package.
  }
  return sharedDocument(contentType, await readFile(packaged, 'utf8'));
}
