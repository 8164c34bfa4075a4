import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageText, pagesOf } from '../../../scripts/site/pages.mjs';
import { llmsText } from '../../../scripts/site/llms.mjs';
import { projectRoot } from '../../support/harness/project-root.ts';

const pages = pagesOf(projectRoot);
const quickstart = { source: 'docs/guides/quickstart.md', page: 'quickstart.md', title: 'Quickstart' };
const textOf = (text: string): string => pageText(text, quickstart, pages);

describe('the pages of the site', () => {
  it('are the guides at its root and every other document below docs/', () => {
    const names = pages.map(({ page }) => page);
    expect(names).toEqual(
      expect.arrayContaining([
        'quickstart.md',
        'webhooks.md',
        'docs/webhooks.md',
        'docs/index.md',
        'docs/adr/index.md',
      ]),
    );
    expect(new Set(names).size).toBe(names.length);
    expect(pages.filter(({ title }) => title === 'Untitled')).toEqual([]);
  });

  it('show consecutive blocks of the three languages as tabs, and no others', () => {
    const lone = '```sh\nexport A=1\n```\n\nText.\n\n';
    const blocks =
      '```sh run\none\n```\n\n```ts run operation=pay\ntwo\n```\n\n```python run\nthree\n```\n\nMore.\n';
    expect(textOf(lone + blocks)).toBe(
      `${lone}::: code-group\n\n\`\`\`sh [curl]\none\n\`\`\`\n\n\`\`\`ts [TypeScript]\ntwo\n\`\`\`\n\n` +
        '```python [Python]\nthree\n```\n\n:::\n\nMore.\n',
    );
    expect(textOf('```sh run\none\n```\n\n```sh run operation=pay\ntwo\n```\n')).toBe(
      '```sh\none\n```\n\n```sh\ntwo\n```\n\n',
    );
  });

  it('link to pages, and name other files without a link', () => {
    expect(textOf('[a](webhooks.md) [b](../errors.md#x) [c](../../src/api/app.ts) [d](../README.md)')).toBe(
      '[a](webhooks.md) [b](docs/errors.md#x) c [d](docs/index.md)',
    );
    expect(textOf('![p](../checkout/a.png) <img src="../checkout/a.png">')).toBe(
      '![p](./docs/checkout/a.png) <img src="./docs/checkout/a.png">',
    );
  });

  it('keep code as it is', () => {
    const code = '```md\n[c](../../src/api/app.ts) {{x}}\n```\n';
    expect(textOf(code)).toBe(code);
  });

  it('are all listed for language models, guides first', () => {
    const text = llmsText(pages, projectRoot);
    expect(pages.filter(({ page }) => !text.includes(`(/guides/${page})`))).toEqual([]);
    expect(text.indexOf('/guides/quickstart.md')).toBeLessThan(text.indexOf('/guides/docs/errors.md'));
    expect(text).toContain(readFileSync(join(projectRoot, 'docs/guides/quickstart.md'), 'utf8').slice(2, 20));
  });
});
