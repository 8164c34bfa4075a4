import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Problem } from './problem.mjs';

/**
 * Writes the dashboard's icons into a build: `icons.json`, the shapes of each icon by the name that pages
 * use. Only the icons of `src/dashboard/parts/icon-names.ts` are read from the package.
 * @param {string} root
 * @param {string} target folder of the build, with the compiled list of names
 */
export async function writeDashboardIcons(root, target) {
  const list = join(target, 'src/dashboard/parts/icon-names.js');
  /** @type {{ iconNames: Record<string, string> }} */
  const { iconNames } = await import(pathToFileURL(list).href);
  const directory = join(target, 'src/dashboard/assets');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'icons.json'), JSON.stringify(readIcons(root, iconNames)));
}

/**
 * Returns the shapes of drawings by our names for them. Throws Problem for a drawing that Lucide lacks.
 * @param {string} root
 * @param {Readonly<Record<string, string>>} names our names with those of Lucide
 * @returns {Record<string, string>}
 */
export function readIcons(root, names) {
  return Object.fromEntries(
    Object.entries(names).map(([name, drawing]) => {
      const file = join(root, 'node_modules/lucide-static/icons', `${drawing}.svg`);
      const shapes = existsSync(file) && /<svg[^>]*>(.*)<\/svg>/s.exec(readFileSync(file, 'utf8'))?.[1];
      if (!shapes)
        throw new Problem(
          `Lucide has no icon "${drawing}", which icon-names.ts has as "${name}": see lucide.dev/icons`,
        );
      return [name, shapes.replaceAll(/\s*\n\s*/g, '')];
    }),
  );
}
