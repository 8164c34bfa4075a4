import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} Locked A package as the lock file has it.
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {string} [license]
 * @property {boolean} [dev]
 */

/**
 * Writes what production is made of into `directory`: `sbom.cdx.json`, the components in the CycloneDX
 * format, and `licences.json`, packages by licence. Both are read from the lock file of `root`, so that they
 * are the same whatever is installed. (`npm sbom --omit=dev` leaves out what development needs too.)
 * @param {string} root
 * @param {string} directory
 */
export function writeComponents(root, directory) {
  /** @type {{ name: string, version: string, packages: Record<string, Locked> }} */
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { name, version } = lock;
  const components = new Map(
    Object.entries(lock.packages)
      .filter(([path, { dev }]) => path !== '' && !dev)
      .map(([path, locked]) => component(path, locked))
      .map((one) => [one.purl, one]),
  );
  const sorted = [...components.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': name, name, version } },
    components: sorted,
  };
  write(directory, 'sbom.cdx.json', sbom);
  write(directory, 'licences.json', byLicence(sorted));
}

/**
 * @param {string} path
 * @param {Locked} locked
 */
function component(path, { version = '', integrity = '', license }) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const digest = /^sha512-(.+)$/.exec(integrity)?.[1];
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(digest && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
    ...(license && {
      licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
    }),
  };
}

/** @param {ReturnType<typeof component>[]} components */
function byLicence(components) {
  /** @type {Record<string, string[]>} */
  const found = {};
  for (const { name, version, licenses } of components) {
    const [first] = licenses ?? [];
    const licence = first?.expression ?? first?.license?.id ?? 'not declared';
    (found[licence] ??= []).push(`${name}@${version}`);
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * @param {string} directory
 * @param {string} name
 * @param {object} value
 */
function write(directory, name, value) {
  writeFileSync(join(directory, name), `${JSON.stringify(value, null, 2)}\n`);
}
