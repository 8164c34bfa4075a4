import { readFileSync } from 'node:fs';
import { asset, tokens, withoutCommentLines } from '../../checkout-page/assets.ts';
import { builtFile } from './built-file.ts';

const read = (name: string): string => readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8');

/** The class library with our layers, as the build compiled it. Its first statement orders the layers. */
const library = builtFile('dashboard.css');
const order = /@layer [^;{]+;/.exec(library)?.[0] ?? '';

/** The dashboard's style, with the colors of the checkout page, and its script. */
export const dashboardAssets = {
  style: asset(
    'dashboard.css',
    'text/css; charset=utf-8',
    `${order}\n@layer tokens {\n${tokens}}\n${library}`,
  ),
  script: asset('dashboard.js', 'text/javascript; charset=utf-8', withoutCommentLines(read('dashboard.js'))),
} as const;
