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

const read = (name: string): string => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');

/** The declarations of the dark palette, which a page is shown in for two reasons. */
const dark = /:root \{([^}]*)\}/.exec(read('dark.css'))?.[1] ?? '';

/** Colours, corners and ground, which every page of the service shares. */
export const tokens = withoutComments(read('tokens.css').replaceAll('/* dark.css */', dark.trim()));

/** Returns a file as browsers load it, under `/assets/`. */
export function asset(name: string, contentType: string, content = read(name)): Asset {
  const bytes = Buffer.from(content);
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

/** The parts of the page's script, each after those it uses when it starts. */
const parts = ['dom', 'calls', 'shop', 'leaving', 'state', 'fields', 'paying', 'steps', 'main'];

/**
 * One script out of modules, so that the page asks for one file: their lines as they are, without the imports
 * and exports that tie them together. What they call each other is unique (a test parses the whole).
 */
function pageScript(): string {
  return parts
    .map((name) =>
      read(`page/${name}.js`)
        .replaceAll(/^import [^;]*;$/gm, '')
        .replaceAll(/^export /gm, '')
        .trim(),
    )
    .join('\n\n')
    .concat('\n');
}

/** A style sheet is read by nobody but browsers; scripts are reviewed as they are sent. */
function withoutComments(css: string): string {
  return css.replaceAll(/\/\*[^*]*\*\/\n?/g, '');
}

/**
 * Every file of the customer's pages. The scripts are listed with their reasons in
 * docs/checkout/scripts.json.
 */
export const assets = {
  style: asset('page.css', 'text/css; charset=utf-8', tokens + withoutComments(read('page.css'))),
  script: asset('page.js', 'text/javascript; charset=utf-8', pageScript()),
  embed: asset('embed.js', 'text/javascript; charset=utf-8'),
} as const;
