import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardAssets, styleLayers, styleOf } from '../../../src/dashboard/parts/assets.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

/** Returns the selectors of a style sheet, including those within media queries. */
function selectorsOf(style: string): string[] {
  const plain = style.replaceAll(/\/\*.*?\*\//gs, '');
  return [...plain.matchAll(/([^{};]+)\{/g)]
    .map(([, selector = '']) => selector.trim())
    .filter((selector) => selector !== '' && !selector.startsWith('@'))
    .flatMap((selector) => selector.split(/,(?![^(]*\))/).map((one) => one.trim()));
}

/** Returns the class that a selector styles: the first of the leftmost element; null for none. */
const classOf = (selector: string): string | null =>
  /^[a-z]*\.([\w-]+)/.exec(selector.split(/[\s>+~]/)[0] ?? '')?.[1] ?? null;

const layersByClass = new Map<string, Set<string>>();
for (const layer of styleLayers) {
  for (const selector of selectorsOf(styleOf(layer))) {
    const name = classOf(selector);
    if (name !== null) layersByClass.set(name, (layersByClass.get(name) ?? new Set()).add(layer));
  }
}

const sources = readdirSync(join(projectRoot, 'src/dashboard'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => [name, readFileSync(join(projectRoot, 'src/dashboard', name), 'utf8')] as const);

describe('the style of the dashboard', () => {
  it('defines no class in two layers', () => {
    expect(layersByClass.size).toBeGreaterThan(50);
    const twice = [...layersByClass].filter(([, layers]) => layers.size > 1).map(([name]) => name);
    expect(twice).toEqual([]);
  });

  it('has no element with classes of two layers, except the base', () => {
    const mixed = sources.flatMap(([file, source]) =>
      [...source.matchAll(/class="([^"]+)"/g)]
        .map(([, names = '']) => names)
        .filter((names) => {
          const layers = names.split(' ').flatMap((name) => [...(layersByClass.get(name) ?? [])]);
          return new Set(layers.filter((layer) => layer !== 'base')).size > 1;
        })
        .map((names) => `${file}: ${names}`),
    );
    expect(mixed).toEqual([]);
  });

  it('finds a class that two layers define, and one that only qualifies another', () => {
    const found = selectorsOf(
      '.row.top { a: b } @media (x) { .top > a, td:is(.x, .y) { c: d } } /* .no {} */',
    );
    expect(found.map(classOf)).toEqual(['row', 'top', null]);
  });

  it('is in layers as a whole, and small', () => {
    const style = dashboardAssets.style.bytes.toString();
    expect(style).toMatch(/^@layer tokens, base, parts, frame, pages;\n@layer tokens \{/);
    expect(dashboardAssets.style.gzip.length).toBeLessThan(8_500);
    expect(dashboardAssets.script.gzip.length).toBeLessThan(6_000);
  });
});
