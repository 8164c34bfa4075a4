import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assets } from '../../../src/checkout-page/assets.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

/** The values of custom properties, by name, in the order they are written. */
function valuesOf(css: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [, name = '', value = ''] of css.matchAll(/(--[a-z-]+): ([^;]+);/g)) {
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  return found;
}

it('gives the card form the colors of the checkout page, light and dark, without a shared file', () => {
  const own = valuesOf(readFileSync(join(projectRoot, 'src/card-frame/assets/frame.css'), 'utf8'));
  const page = valuesOf(assets.style.bytes.toString());
  expect([...own.keys()]).toContain('--accent');
  for (const [name, values] of own) expect([name, values]).toEqual([name, page.get(name)]);
});
