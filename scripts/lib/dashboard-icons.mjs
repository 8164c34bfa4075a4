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

/**
 * Returns the drawings that the style itself shows, as variables of Basecoat.
 * @param {string} root
 */
export function iconVariables(root) {
  const { arrow, check } = readIcons(root, { arrow: 'chevron-down', check: 'check' });
  // A gray that is seen on the fields of both color schemes; the mark takes the color of its box.
  const variables = [
    `--chevron-down-icon-50: ${imageOf(arrow, '#7d8797')};`,
    `--check-icon: ${imageOf(check, '#000', 3)};`,
  ];
  return `@layer theme { :root { ${variables.join(' ')} } }`;
}

/**
 * @param {string | undefined} shapes
 * @param {string} color
 * @param {number} width of its lines
 */
function imageOf(shapes, color, width = 2) {
  const line = `stroke='${color}' stroke-width='${width}' stroke-linecap='round' stroke-linejoin='round'`;
  const image = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' ${line}>`;
  const svg = `${image}${shapes?.replaceAll('"', "'")}</svg>`.replaceAll('#', '%23');
  return `url("data:image/svg+xml,${svg}")`;
}
