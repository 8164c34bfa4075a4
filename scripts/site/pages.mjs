import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** Documents outside `docs/` that are pages of the site too, by their page. */
const others = {
  'sdk/typescript/README.md': 'docs/sdk-typescript.md',
  'sdk/python/README.md': 'docs/sdk-python.md',
  'examples/shop/README.md': 'docs/example-shop.md',
  'examples/recovery/README.md': 'docs/example-recovery.md',
  'examples/fastapi/README.md': 'docs/example-fastapi.md',
  'examples/nextjs/README.md': 'docs/example-nextjs.md',
};

/** @typedef {{ source: string, page: string, title: string }} Page */

/**
 * Returns the pages of the site: the guides at its root, every other document below `docs/`.
 * @param {string} root folder of the repository
 * @returns {Page[]}
 */
export function pagesOf(root) {
  const documents = readdirSync(join(root, 'docs'), { recursive: true })
    .map((name) => `docs/${String(name).replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md'))
    .toSorted();
  return [...documents, ...Object.keys(others).filter((name) => existsSync(join(root, name)))].map(
    (source) => ({
      source,
      page: pageOf(source),
      title: titleOf(readFileSync(join(root, source), 'utf8')),
    }),
  );
}

/** @param {string} source */
function pageOf(source) {
  const moved = others[/** @type {keyof typeof others} */ (source)];
  return moved ?? source.replace(/^docs\/guides\//, '').replace(/README\.md$/, 'index.md');
}

/** @param {string} text */
export const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? 'Untitled';

const labels = { sh: 'curl', ts: 'TypeScript', python: 'Python' };

/**
 * Returns a document as a page. Consecutive blocks of the three languages become tabs. Links lead to pages; a
 * target that is not a page, such as a source file, is named without a link.
 * @param {string} text
 * @param {Page} page
 * @param {readonly Page[]} pages
 */
export function pageText(text, page, pages) {
  const pieces = text.split(/^(`{3,}[^\n]*\n[\s\S]*?^`{3,}[ \t]*\n?)/m);
  const written = pieces.map((piece, index) => (index % 2 === 1 ? piece : proseOf(piece, page, pages)));
  return tabsOf(written.join(''));
}

/**
 * @param {string} text
 * @param {Page} page
 * @param {readonly Page[]} pages
 */
function proseOf(text, page, pages) {
  return (
    text
      .replaceAll(/(!?)\[((?:\[[^\]]*\]|[^\]])*)\]\(([^)\s]+)\)/g, (whole, image, label, target) => {
        if (image === '!') return `![${label}](${pictureOf(target, page)})`;
        const link = linkOf(target, page, pages);
        return link === null ? label : `[${label}](${link})`;
      })
      .replaceAll(/\b(src|srcset)="([^"]+)"/g, (_, name, target) => `${name}="${pictureOf(target, page)}"`)
      // The generator would take these for expressions.
      .replaceAll('{{', '&#123;&#123;')
  );
}

/**
 * @param {string} target
 * @param {Page} page
 */
function pictureOf(target, page) {
  const path = normalize(join(dirname(page.source), target));
  return `./${relative(dirname(page.page), path)}`;
}

/**
 * @param {string} target
 * @param {Page} page
 * @param {readonly Page[]} pages
 */
function linkOf(target, page, pages) {
  if (/^(?:[a-z]+:|#)/i.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const source = normalize(join(dirname(page.source), path)).replace(/\/$/, '');
  const found = pages.find((each) => each.source === source || each.source === `${source}/README.md`);
  if (found === undefined) return null;
  return `${relative(dirname(page.page), found.page) || found.page}${anchor === undefined ? '' : `#${anchor}`}`;
}

const block = /^```(sh|ts|python)(?: run(?: operation=\w+)?)?\n(?:(?!```).*\n)*```\n/m.source;

/** @param {string} text */
function tabsOf(text) {
  return text
    .replaceAll(new RegExp(`(?:${block}\\n?){2,}`, 'gm'), (blocks) => {
      /** @type {{ language: string, text: string }[][]} */
      const groups = [];
      for (const [found, language = ''] of blocks.matchAll(new RegExp(block, 'gm'))) {
        // A language that appears again starts another group of tabs.
        if (groups.at(-1)?.every((each) => each.language !== language) !== true) groups.push([]);
        groups.at(-1)?.push({ language, text: found });
      }
      return groups.map(tabs).join('');
    })
    .replaceAll(/^```(sh|ts|python) run(?: operation=\w+)?$/gm, '```$1');
}

/** @param {{ language: string, text: string }[]} blocks */
function tabs(blocks) {
  if (blocks.length === 1) return `${blocks[0]?.text}\n`;
  const named = blocks.map(({ language, text }) => {
    const label = labels[/** @type {keyof typeof labels} */ (language)];
    return text.replace(/^.*/, `\`\`\`${language} [${label}]`);
  });
  return `::: code-group\n\n${named.join('\n')}\n:::\n\n`;
}
