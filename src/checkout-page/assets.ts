import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** A file that the customer's browser loads, with its integrity and its compressed forms. */
export interface Asset {
  path: string;
  /** Changes with the content, so that browsers may cache the file forever. */
  versionedPath: string;
  contentType: string;
  integrity: string;
  bytes: Buffer;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
}

const read = (name: string): string => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');

/** The declarations of the dark palette, which tokens.css contains in two places. */
const dark = /:root \{([^}]*)\}/.exec(read('dark.css'))?.[1] ?? '';

/** Colors, corners and background that every page of the service shares. */
export const tokens = withoutComments(read('tokens.css').replaceAll('/* dark.css */', dark.trim()));

/** Returns a file as browsers load it, under `/assets/`. */
export function asset(name: string, contentType: string, content = read(name)): Asset {
  const bytes = Buffer.from(content);
  const digest = createHash('sha384').update(bytes).digest();
  let brotli: Buffer | undefined;
  let gzip: Buffer | undefined;
  return {
    path: `/assets/${name}`,
    versionedPath: `/assets/${name}?v=${digest.toString('hex').slice(0, 12)}`,
    contentType,
    integrity: `sha384-${digest.toString('base64')}`,
    bytes,
    // For the first browser that accepts it: compressing all files would delay the start of API and worker.
    get brotli() {
      brotli ??= brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
      return brotli;
    },
    get gzip() {
      gzip ??= gzipSync(bytes, { level: 9 });
      return gzip;
    },
  };
}

/** The modules of the page's script, each after the modules that it needs when it starts. */
const parts = [
  'dom',
  'calls',
  'times',
  'shop',
  'leaving',
  'state',
  'fields',
  'wallet',
  'paying',
  'steps',
  'main',
];

/**
 * Returns the modules as one script, so that the page loads one file. The lines are unchanged, but imports,
 * exports and comment lines are left out. The modules' names do not collide (a test parses the result).
 */
function pageScript(): string {
  return parts
    .map((name) =>
      read(`page/${name}.js`)
        .replaceAll(/^import [^;]*;$/gm, '')
        .replaceAll(/^export /gm, '')
        .replaceAll(commentLines, '')
        .trim(),
    )
    .join('\n\n')
    .concat('\n');
}

/**
 * Lines that hold only a comment. They are not sent, because browsers do not need them and customers pay for
 * bytes.
 */
const commentLines = /^[ \t]*(?:\/\/.*|\/\*[^]*?\*\/)\n/gm;

/** Returns a script without its comments, which are not sent. */
export const withoutCommentLines = (script: string): string => script.replaceAll(commentLines, '');

/** Returns a style sheet without comments and indentation, which are not sent either. */
export function withoutComments(css: string): string {
  return css.replaceAll(/\/\*[^*]*\*\/\n?/g, '').replaceAll(/^ +/gm, '');
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
