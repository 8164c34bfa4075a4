import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the list of pages for language models: https://llmstxt.org.
 * @param {readonly import('./pages.mjs').Page[]} pages
 * @param {string} root
 */
export function llmsText(pages, root) {
  const isGuide = /** @param {string} page */ (page) => !page.includes('/');
  const line = /** @param {import('./pages.mjs').Page} page */ ({ source, page, title }) => {
    const paragraphs = readFileSync(join(root, source), 'utf8').split(/\n\s*\n/);
    const first = paragraphs.find((text) => /^[A-Z`]/.test(text)) ?? '';
    const about = first
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const sentence = /^.*?[.:](?= |$)/.exec(about)?.[0] ?? about;
    return `- [${title}](/guides/${page}): ${sentence}`;
  };
  const listOf = /** @param {(page: string) => boolean} wanted */ (wanted) =>
    pages
      .filter(({ page }) => wanted(page))
      .map(line)
      .join('\n');
  return `# Card payments

> A self-hosted backend that takes one-off card payments in US dollars. Amounts are integer cents. Calls come from a backend with
> an API key. An unknown result is not a failure: read the payment before anything is charged again.

- [OpenAPI document](/openapi.json): every operation, field and error.

## Guides

${listOf(isGuide)}

## Documents

${listOf((page) => !isGuide(page) && !/^docs\/(?:adr|runbooks)\//.test(page))}

## Optional

${listOf((page) => /^docs\/(?:adr|runbooks)\//.test(page))}
`;
}
