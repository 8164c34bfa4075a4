import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';
import { defineConfig } from 'vitepress';

/** @type {import('../pages.mjs').Page[]} */
const pages = JSON.parse(readFileSync(new URL('./pages.json', import.meta.url), 'utf8'));

/** Colors of code as classes: the policy of the site allows no inline style. */
const classes = transformerStyleToClass({ classPrefix: 'c-' });

const guides = [
  ...['quickstart', 'card-capture', 'webhooks', 'refunds', 'disputes'],
  ...['recovery', 'testing', 'going-live', 'from-stripe', 'every-call'],
].map((name) => `${name}.md`);

/** @param {(page: string) => boolean} isOfGroup */
const itemsOf = (isOfGroup) =>
  pages
    .filter(({ page }) => isOfGroup(page))
    .map(({ page, title }) => ({ text: title, link: `/${page.replace(/\.md$/, '')}` }));

/** @param {string} page */
const isAside = (page) => /^docs\/(?:adr|runbooks)\//.test(page);

export default defineConfig({
  title: 'Card payments',
  description: 'Guides for developers of shops, and the documents of the service.',
  lang: 'en',
  base: '/guides/',
  // Without this setting a script would add an inline style.
  appearance: { disableTransition: false },
  metaChunk: true,
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['link', { rel: 'stylesheet', href: '/guides/code.css' }],
  ],
  markdown: {
    codeTransformers: [classes],
    // The anchors that the documents have where their repository is read.
    anchor: {
      slugify: (text) =>
        text
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(/\s/g, '-'),
    },
  },
  router: { prefetchLinks: false },
  vite: { logLevel: 'error', build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'API reference', link: '/api' },
      { text: 'All documents', link: '/docs/' },
    ],
    sidebar: [
      {
        text: 'Guides',
        items: guides.flatMap((name) => itemsOf((page) => page === name)),
      },
      {
        text: 'Documents',
        collapsed: true,
        items: itemsOf((page) => page.startsWith('docs/') && !isAside(page)),
      },
      { text: 'Runbooks', collapsed: true, items: itemsOf((page) => page.startsWith('docs/runbooks/')) },
      { text: 'Decisions', collapsed: true, items: itemsOf((page) => page.startsWith('docs/adr/')) },
    ],
  },
  // Inline styles are removed, because the policy forbids them. Scripts set the same styles later.
  transformHtml: (html) => html.replaceAll(/(<[a-zA-Z][^<>]*?) style="[^"]*"/g, '$1'),
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, 'code.css'), classes.getCSS()),
});
