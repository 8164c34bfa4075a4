import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import postcss from 'postcss';
import { namedIn, namedInPages } from '../../../scripts/lib/class-names.mjs';
import { isUsed, withoutUnused } from '../../../scripts/lib/unused-rules.mjs';
import { assets } from '../../../src/checkout-page/assets.ts';
import { builtFile } from '../../../src/dashboard/parts/built-file.ts';
import { dashboardAssets } from '../../../src/dashboard/parts/assets.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

/** The layers with rules for our pages, in their order: the library's components among ours. */
const layers = ['base', 'components', 'parts', 'frame', 'pages'];
const style = dashboardAssets.style.bytes.toString();
const folder = join(projectRoot, 'src/dashboard');
const named = namedInPages(folder);
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);

/** The selectors of a style sheet, each with its layer. */
function selectorsOf(css: string): [layer: string, selector: string][] {
  const found: [string, string][] = [];
  postcss.parse(css).walkAtRules('layer', (layer) => {
    layer.walkRules(({ selectors, parent }) => {
      const isFrame = parent?.type === 'atrule' && 'name' in parent && parent.name === 'keyframes';
      if (!isFrame) found.push(...selectors.map((one): [string, string] => [layer.params, one]));
    });
  });
  return found;
}

const selectors = selectorsOf(style);

/** Returns the class that a selector styles: the first of the leftmost element; null for none. */
const classOf = (selector: string): string | null =>
  /^[a-z]*\.([\w-]+)/.exec(selector.split(/[\s>+~]/)[0] ?? '')?.[1] ?? null;

function layersByClass(of: readonly [string, string][]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [layer, selector] of of) {
    const name = classOf(selector);
    if (name !== null && layers.includes(layer)) found.set(name, (found.get(name) ?? new Set()).add(layer));
  }
  return found;
}

describe('the style of the dashboard', () => {
  it('defines no class in two layers', () => {
    const found = layersByClass(selectors);
    expect(found.size).toBeGreaterThan(50);
    expect([...found].filter(([, of]) => of.size > 1).map(([name]) => name)).toEqual([]);
  });

  it('has no rule that matches nothing in the pages', () => {
    const rules = selectors.filter(([layer]) => layers.includes(layer));
    expect(rules.filter(([, selector]) => !isUsed(selector, named))).toEqual([]);
  });

  it('has a rule for every class of the pages', () => {
    const styled = new Set(
      selectors.flatMap(([, selector]) =>
        [...selector.matchAll(/\.((?:\\.|[\w-])+)/g)].map(([, name = '']) => name.replaceAll('\\', '')),
      ),
    );
    expect([...named.classes].filter((name) => !styled.has(name))).toEqual([]);
  });

  it('has the classes by which the script finds elements, unless they are of the checkout page', () => {
    const script = dashboardAssets.script.bytes.toString();
    const found = [...script.matchAll(/(?:querySelector(?:All)?|closest|matches)\('([^']*)'\)/g)].flatMap(
      ([, selector = '']) => [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name),
    );
    expect(found).toContain('dialog');
    const styles = style + assets.style.bytes.toString();
    expect(found.filter((name) => !new RegExp(`\\.${name}\\b`).test(styles))).toEqual([]);
  });

  it('styles every button of the pages as one of the library', () => {
    const buttons = pages.flatMap(([file, source]) =>
      [...source.matchAll(/<button\b.*?(?<!=)>/gs)].map(([tag]) => `${file}: ${tag}`),
    );
    expect(buttons.length).toBeGreaterThan(40);
    expect(buttons.filter((button) => !/class="btn[ "]/.test(button))).toEqual([]);
  });

  it('is in layers as a whole, and small', () => {
    expect(style.split('{')[0]).toBe(
      '@layer theme,preflight,tokens,base,components,parts,frame,pages,utilities;\n@layer tokens ',
    );
    const outside = postcss
      .parse(style)
      .nodes.filter(
        (node) =>
          !(
            node.type === 'comment' ||
            (node.type === 'atrule' && /^(layer|property|keyframes)$/.test(node.name))
          ),
      );
    expect(outside.map(String)).toEqual([]);
    // Of the 40 KB that a page may have.
    expect(dashboardAssets.style.brotli.length).toBeLessThan(15_000);
    expect(dashboardAssets.script.gzip.length).toBeLessThan(6_000);
  });

  it('comes with the licences of the library and of the icons', () => {
    const licences = builtFile('third-party-licenses.txt');
    for (const name of ['basecoat-css', 'lucide-static', 'tailwindcss'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
    expect(/tailwindcss v[\d.]+ \| MIT License/.test(style)).toBe(true);
  });
});

describe('the checks of the style', () => {
  const sample = namedIn(
    '<p class="row top" data-size="sm"/> <b class={is ? \'on\' : `x ${tone} y`}/> const tones = { a: "good" };',
  );

  it('find a class that two layers define, and not one that only qualifies another', () => {
    const found = layersByClass(
      selectorsOf('@layer base{.row.top{a:b}} @layer parts{.top>a,td:is(.x,.y){c:d} .row{e:f}}'),
    );
    expect([...found].map(([name, of]) => [name, of.size])).toEqual([
      ['row', 2],
      ['top', 1],
    ]);
  });

  it('find the classes that pages name, also those that an expression chooses', () => {
    expect([...sample.classes]).toEqual(['row', 'top', 'on', 'x', 'y']);
    expect(sample.words.has('good')).toBe(true);
  });

  it.each([
    ['.row.good', true],
    ['p.row > b.on', true],
    ['.row .gone', false],
    ['table .row', false],
    ['.row:not(.gone)', true],
    ['.row:is(.gone, .on):hover', true],
    ['.row:is(.gone, :has(.lost))', false],
    [".row[data-size='sm']::before", true],
    [".row[data-size='lg']", false],
    ['.row[data-variant]', false],
  ])('decide whether %s matches in the pages: %s', (selector, used) => {
    expect(isUsed(selector, sample)).toBe(used);
  });

  it('remove what matches nothing, and what is empty then', () => {
    const sheet = postcss.parse('.row, .gone {a:b} @media (x) {.gone {a:b}} @keyframes k {from {a:b}}');
    expect(withoutUnused(sheet, sample).toString().replaceAll(/\s+/g, ' ').trim()).toBe(
      '.row {a:b} @keyframes k {from {a:b}}',
    );
  });
});
