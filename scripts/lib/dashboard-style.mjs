import { transform } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import postcss from 'postcss';
import { compile } from 'tailwindcss';
import { namedInPages } from './class-names.mjs';
import { iconVariables } from './dashboard-icons.mjs';
import { licencesOf } from './third-party-licences.mjs';
import { withoutUnused } from './unused-rules.mjs';

/** The oldest browsers that Tailwind 4 supports. Nested rules are written out for them. */
const BROWSERS = ['chrome111', 'firefox128', 'safari16.4'];
/** The package whose components are kept only as far as pages use them. */
const COMPONENTS = /[\\/]node_modules[\\/]basecoat-css[\\/]/;

/**
 * Writes the dashboard's style into a build: `dashboard.css`, the class library with our layers (ADR 0082).
 * @param {string} root
 * @param {string} target folder of the build
 */
export async function writeDashboardStyle(root, target) {
  const named = namedInPages(join(root, 'src/dashboard'));
  const options = { loader: /** @type {const} */ ('css'), minify: true, target: BROWSERS };
  const { code } = await transform(await compileDashboardStyle(root, named), options);
  const sheet = postcss.parse(code);
  // Again: one rule of a component becomes several, and pages may use only some of them.
  sheet.walkAtRules('layer', (layer) => {
    if (layer.params === 'components') withoutUnused(layer, named);
  });
  const directory = join(target, 'src/dashboard/assets');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'dashboard.css'), sheet.toString());
}

/**
 * Writes the licences of what pages of the dashboard are sent: the style's packages and that of the icons.
 * @param {string} root
 * @param {string} target folder of the build
 */
export function writeDashboardLicences(root, target) {
  const packages = ['basecoat-css', 'lucide-static', 'tailwindcss'];
  const text = licencesOf(
    root,
    packages.map((name) => `node_modules/${name}`),
  );
  writeFileSync(join(target, 'src/dashboard/assets/third-party-licenses.txt'), text);
}

/**
 * Returns the style, not minified: `assets/style/library.css` with what it imports, and the utilities that
 * the class attributes of the pages name.
 * @param {string} root
 * @param {import('./class-names.mjs').NamedInPages} named
 */
async function compileDashboardStyle(root, named) {
  const base = join(root, 'src/dashboard/assets/style');
  const style = await compile(`${readFileSync(join(base, 'library.css'), 'utf8')}\n${iconVariables(root)}`, {
    base,
    // None: they serve only browsers older than the ones that Tailwind supports.
    polyfills: 0,
    loadStylesheet: async (id, from) => {
      const path = id.startsWith('.') ? resolve(from, id) : join(root, 'node_modules', id);
      const content = readFileSync(path, 'utf8');
      const kept = COMPONENTS.test(path) ? withoutUnused(postcss.parse(content), named).toString() : content;
      return { path, base: dirname(path), content: kept };
    },
  });
  return style.build([...named.classes]);
}
