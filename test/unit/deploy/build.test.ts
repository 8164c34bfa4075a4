import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from '../../support/harness/project-root.ts';

const dist = join(projectRoot, 'dist');

/** Compiled modules, by their path below dist/. */
const compiled = readdirSync(dist, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && /\.m?js$/.test(entry.name))
  .map((entry) => relative(dist, join(entry.parentPath, entry.name)))
  .filter((path) => path !== join('src', 'workflow-bundle.js'));

it('a build contains only files that trigger a rebuild, so that no import becomes stale', () => {
  const { include } = JSON.parse(readFileSync(join(projectRoot, 'tsconfig.build.json'), 'utf8')) as {
    include: string[];
  };
  const folders = [...include.map((pattern) => pattern.replace(/\*\*.*$/, '')), 'scripts/lib/'];
  expect(compiled.length).toBeGreaterThan(100);
  expect(compiled.filter((path) => !folders.some((folder) => path.startsWith(folder)))).toEqual([]);
});

it('a build contains no test', () => {
  expect(compiled.filter((path) => path.endsWith('.test.js'))).toEqual([]);
});

it('a build lists the parts of production: components in CycloneDX, packages by licence', () => {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(dist, name), 'utf8'));
  const { dependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const sbom = read('sbom.cdx.json') as {
    bomFormat: string;
    components: { name: string; version: string; group?: string }[];
  };
  expect(sbom.bomFormat).toBe('CycloneDX');
  const components = sbom.components.map(({ name, version }) => `${name}@${version}`);
  const direct = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
  expect(components).toEqual(expect.arrayContaining(direct));
  const licences = read('licences.json') as Record<string, string[]>;
  expect(Object.values(licences).flat()).toEqual(expect.arrayContaining(direct));
  // No licence that obliges an operator to publish their own code.
  expect(Object.keys(licences).filter((licence) => /GPL|SSPL|BUSL/.test(licence))).toEqual([]);
});

it('the image runs no install script', () => {
  const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');
  expect(dockerfile.match(/npm (ci|install)[^\n]*/g)).toEqual(['npm ci --ignore-scripts']);
});
