import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pageText, pagesOf } from './pages.mjs';

/**
 * Writes what the generator builds into `target`: the pages, the pictures, its configuration, a first page
 * and one that leads to the reference. Returns the pages.
 * @param {string} root
 * @param {string} target
 */
export function stageSite(root, target) {
  const pages = pagesOf(root);
  for (const page of pages) {
    const file = join(target, page.page);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, pageText(readFileSync(join(root, page.source), 'utf8'), page, pages));
  }
  for (const folder of ['checkout', 'dashboard', 'operations']) {
    cpSync(join(root, 'docs', folder), join(target, 'docs', folder), { recursive: true });
  }
  cpSync(join(root, 'scripts/site/vitepress'), join(target, '.vitepress'), { recursive: true });
  writeFileSync(join(target, '.vitepress/pages.json'), JSON.stringify(pages));
  writeFileSync(join(target, 'index.md'), firstPage);
  writeFileSync(join(target, 'api.md'), referencePage);
  writeFileSync(join(target, '.vitepress/package.json'), '{"type":"module"}');
  return pages;
}

const firstPage = `---
layout: home
hero:
  name: Card payments
  tagline: Take a card payment once, and never lose or double it.
  actions:
    - { theme: brand, text: A first payment in five minutes, link: /quickstart }
    - { theme: alt, text: API reference, link: /api }
features:
  - { title: Quickstart, details: Send a customer to the hosted page and fulfill the order., link: /quickstart }
  - { title: Card capture, details: Take cards on your own form., link: /card-capture }
  - { title: Webhooks, details: Verify events and repeat what you missed., link: /webhooks }
  - { title: Recovery, details: Know what to do after a lost answer or a crash., link: /recovery }
  - { title: Testing, details: Produce every outcome in the sandbox., link: /testing }
  - { title: From Stripe, details: Concepts and calls side by side., link: /from-stripe }
---
`;

const referencePage = `# API reference

Every operation, with its fields, errors and samples in three languages, is at <a href="/docs" target="_self">/docs</a> of a running
service. The document behind it is <a href="/openapi.json" target="_self">openapi.json</a>.
`;
