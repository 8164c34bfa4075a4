import { readFileSync } from 'node:fs';
import { asset, tokens } from '../../checkout-page/assets.ts';

const read = (name: string): string => readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8');

/** The dashboard's style, with the colours of the checkout page, and its script. */
export const dashboardAssets = {
  style: asset('dashboard.css', 'text/css; charset=utf-8', tokens + read('dashboard.css')),
  script: asset('dashboard.js', 'text/javascript; charset=utf-8', read('dashboard.js')),
} as const;
