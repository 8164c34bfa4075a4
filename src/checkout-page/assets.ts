import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** A file the customer's browser loads, with what makes it safe and small. */
export interface Asset {
  path: string;
  /** Changes with the content, so that the file may be kept for ever. */
  versionedPath: string;
  contentType: string;
  integrity: string;
  bytes: Buffer;
  brotli: Buffer;
  gzip: Buffer;
}

function asset(name: string, contentType: string): Asset {
  const bytes = readFileSync(new URL(`./assets/${name}`, import.meta.url));
  const digest = createHash('sha384').update(bytes).digest();
  return {
    path: `/assets/${name}`,
    versionedPath: `/assets/${name}?v=${digest.toString('hex').slice(0, 12)}`,
    contentType,
    integrity: `sha384-${digest.toString('base64')}`,
    bytes,
    brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    gzip: gzipSync(bytes, { level: 9 }),
  };
}

/**
 * Every file of the customer's pages. The scripts are listed with their reasons in
 * docs/checkout/scripts.json.
 */
export const assets = {
  style: asset('page.css', 'text/css; charset=utf-8'),
  script: asset('page.js', 'text/javascript; charset=utf-8'),
  embed: asset('embed.js', 'text/javascript; charset=utf-8'),
} as const;
