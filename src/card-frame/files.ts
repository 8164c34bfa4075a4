import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { cardBrands, cardMarkFile } from '../card-marks/card-mark.tsx';

/** A file of the card form, with its integrity and its compressed form. */
export interface FrameFile {
  path: string;
  /** Changes with the content, so that browsers may cache the file forever. */
  versionedPath: string;
  contentType: string;
  integrity: string;
  bytes: Buffer;
  readonly brotli: Buffer;
}

const javascript = 'text/javascript; charset=utf-8';
const css = 'text/css; charset=utf-8';
const svg = 'image/svg+xml';

/** The modules of the script, each after the modules that it imports. */
const modules = [
  'fields',
  'card',
  'parent',
  'validation',
  'formatting',
  'typing',
  'submit',
  'theme',
  'main',
] as const;

/** The card form's script and style. docs/checkout/scripts.json gives the reason for the script. */
export const frameFiles = {
  script: frameFile('frame.js', javascript, frameScript()),
  style: frameFile('frame.css', css, withoutComments(read('frame.css'))),
} as const;

/** Script and style of the wallets' buttons, beside Stripe.js. */
export const walletFiles = {
  script: frameFile('wallet.js', javascript, read('wallet.js')),
  style: frameFile('wallet.css', css, withoutComments(read('wallet.css'))),
} as const;

/** The mark of each brand, which the browser loads once the first digits show the brand. */
export const markFiles: Readonly<Record<string, FrameFile>> = Object.fromEntries(
  Object.keys(cardBrands).map((brand) => [brand, frameFile(`${brand}.svg`, svg, cardMarkFile(brand) ?? '')]),
);

function withoutComments(sheet: string): string {
  return sheet.replaceAll(/\/\*[^*]*\*\/\n?|^ +/gm, '');
}

/** Returns how long a browser may cache a file that it requested at this address. */
export const cacheControlOf = (file: FrameFile, url: string): string =>
  url === file.versionedPath ? 'public, max-age=31536000, immutable' : 'public, max-age=300';

/**
 * Returns the modules as one script, so that the browser loads one file. The lines are unchanged, but
 * imports, exports and comment lines are left out, and the script is one closure. The modules' names do not
 * collide (a test parses the result).
 */
function frameScript(): string {
  const parts = modules.map((name) =>
    read(`frame/${name}.js`)
      .replaceAll(/^import [^;]*;$/gm, '')
      .replaceAll(/^export /gm, '')
      .replaceAll(/^[ \t]*(?:\/\/.*|\/\*[^]*?\*\/)\n/gm, '')
      .trim(),
  );
  const head =
    '// The card form inside the card frame: the modules of src/card-frame/assets/frame, without comments.';
  return `${head}\n(() => {\n'use strict';\n\n${parts.join('\n\n')}\n})();\n`;
}

function read(name: string): string {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
}

function frameFile(name: string, contentType: string, content: string): FrameFile {
  const bytes = Buffer.from(content);
  const digest = createHash('sha384').update(bytes).digest();
  const path = `/frame/assets/${name}`;
  let brotli: Buffer | undefined;
  return {
    path,
    versionedPath: `${path}?v=${digest.toString('hex').slice(0, 12)}`,
    contentType,
    integrity: `sha384-${digest.toString('base64')}`,
    bytes,
    // For the first browser that accepts it: workers use only the integrity.
    get brotli() {
      brotli ??= brotliCompressSync(bytes);
      return brotli;
    },
  };
}
