import { readFileSync, realpathSync } from 'node:fs';
import semver from 'semver';

interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  engines?: { node?: string } | string[];
  license?: string;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
}

const root = new URL('../../../', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, root), 'utf8'));
const lock = read('package-lock.json') as { packages: Record<string, Locked> };
const manifest = read('package.json') as {
  engines: { node: string };
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
};
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');

describe('the packages of npm ci', () => {
  it.each(['20.19.0', '20.20.2', '22.12.0', '24.11.0'])('accept Node %s in the whole tree', (version) => {
    expect(semver.satisfies(version, manifest.engines.node)).toBe(true);
    const refusing = packages
      .filter(([, { optional }]) => optional !== true)
      .filter(([, { engines }]) => {
        const range = Array.isArray(engines) ? undefined : engines?.node;
        return range !== undefined && !semver.satisfies(version, range);
      })
      .map(([path]) => path);
    expect(refusing).toEqual([]);
  });

  it('are pinned: exact versions, an integrity for every package, no address of a registry', () => {
    for (const version of Object.values({ ...manifest.dependencies, ...manifest.devDependencies })) {
      expect(version).toMatch(/^(npm:[a-z]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/);
    }
    expect(packages.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([]);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it("compile with the project's TypeScript, although a generator needs an older one beside it", () => {
    const compiler = realpathSync(new URL('node_modules/.bin/tsc', root));
    expect(compiler).toBe(realpathSync(new URL('node_modules/typescript/bin/tsc', root)));
  });

  it('have the binaries of Linux, macOS and Windows', () => {
    const names = packages.map(([path]) => path);
    for (const tool of ['@esbuild', '@typescript/typescript', '@oxlint/binding', '@swc/core']) {
      for (const platform of ['linux-x64', 'darwin-arm64', 'win32-x64']) {
        expect(names.some((name) => name.includes(tool) && name.includes(platform))).toBe(true);
      }
    }
  });

  it('run only reviewed install scripts', () => {
    const scripted = packages
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(scripted.filter((name) => !(name in manifest.allowScripts) && name !== 'fsevents')).toEqual([]);
  });

  it('have no licence with obligations for operators', () => {
    const allowed =
      /^(MIT|MIT-0|ISC|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|0BSD|Unlicense|BlueOak-1\.0\.0|CC0-1\.0|Python-2\.0|PSF-2\.0)$/;
    // Weak copyleft and a font, used in development only.
    const developmentOnly = /^(MPL-2\.0|CC-BY-3\.0|OFL-1\.1)$/;
    // Reviewed by hand: browser data that only the workflow bundler reads, and a package with a licence file
    // but without the manifest's field.
    const reviewed = ['node_modules/caniuse-lite', 'node_modules/unionfs'];
    const others = packages
      .filter(([path, { license, dev }]) => {
        if (reviewed.includes(path)) return false;
        const options = (license ?? '').replaceAll(/[()]/g, '').split(/ OR | AND /);
        return !options.some((name) => allowed.test(name) || (dev === true && developmentOnly.test(name)));
      })
      .map(([path, { license }]) => `${path}: ${license}`);
    expect(others).toEqual([]);
  });
});
