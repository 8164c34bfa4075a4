import { readFileSync } from 'node:fs';
import { asset, tokens, withoutCommentLines, withoutComments } from '../../checkout-page/assets.ts';

const read = (name: string): string => readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8');

/** The layers of the dashboard's style, one file each. Later layers override earlier ones. */
export const styleLayers = ['base', 'parts', 'frame', 'pages'] as const;

/** Returns the style of a layer, unchanged from its file. */
export const styleOf = (layer: (typeof styleLayers)[number]): string => read(`style/${layer}.css`);

const layered = [
  ['tokens', tokens] as const,
  ...styleLayers.map((layer) => [layer, styleOf(layer)] as const),
].map(([layer, style]) => `@layer ${layer} {\n${withoutComments(style)}}\n`);

/** The dashboard's style, with the colors of the checkout page, and its script. */
export const dashboardAssets = {
  style: asset(
    'dashboard.css',
    'text/css; charset=utf-8',
    `@layer tokens, ${styleLayers.join(', ')};\n${layered.join('')}`,
  ),
  script: asset('dashboard.js', 'text/javascript; charset=utf-8', withoutCommentLines(read('dashboard.js'))),
} as const;
