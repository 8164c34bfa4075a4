import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';

/** A file of the card form, with what makes it safe and small. */
export interface FrameFile {
  path: string;
  /** Changes with the content, so that the file may be kept for ever. */
  versionedPath: string;
  contentType: string;
  integrity: string;
  bytes: Buffer;
  brotli: Buffer;
}

/** The card form's script and style. docs/checkout/scripts.json says why the script is there. */
export const frameFiles = {
  script: frameFile('frame.js', 'text/javascript; charset=utf-8'),
  style: frameFile('frame.css', 'text/css; charset=utf-8'),
} as const;

/** How long a browser may keep a file that was asked for at this address. */
export const cacheControlOf = (file: FrameFile, url: string): string =>
  url === file.versionedPath ? 'public, max-age=31536000, immutable' : 'public, max-age=300';

function frameFile(name: string, contentType: string): FrameFile {
  const bytes = readFileSync(new URL(`./assets/${name}`, import.meta.url));
  const digest = createHash('sha384').update(bytes).digest();
  const path = `/frame/assets/${name}`;
  return {
    path,
    versionedPath: `${path}?v=${digest.toString('hex').slice(0, 12)}`,
    contentType,
    integrity: `sha384-${digest.toString('base64')}`,
    bytes,
    brotli: brotliCompressSync(bytes),
  };
}
