import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeComponents } from './lib/components.mjs';
import { auditVerdict, foreignLicences } from './lib/supply-chain.mjs';

/**
 * `npm run check:supply-chain`: lists production's components, checks their licences, and queries the
 * registry for known vulnerabilities. Exit 1 for a licence that is not allowed and for a vulnerability of
 * level high or critical. When the registry cannot be reached, prints that and exits 0; with `--strict` it
 * exits 2.
 */
const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'components-'));
writeComponents(root, directory);
/** @param {string} name */
const read = (name) => JSON.parse(readFileSync(join(directory, name), 'utf8'));
const { components } = read('sbom.cdx.json');
const foreign = foreignLicences(read('licences.json'));
rmSync(directory, { recursive: true });
console.log(`components: ${components.length} (dist/sbom.cdx.json after npm run build)`);
console.log(foreign.length === 0 ? 'licences: all allowed' : `licences: not allowed: ${foreign.join(', ')}`);

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: root,
  encoding: 'utf8',
  timeout: 60_000,
});
const verdict = auditVerdict(stdout ?? '');
if (verdict.asked) {
  const found = Object.entries(verdict.levels).map(([level, count]) => `${level} ${count}`);
  console.log(`vulnerabilities: ${found.join(', ')}`);
  for (const name of verdict.packages) console.log(`vulnerable: ${name}`);
} else {
  console.log(`vulnerabilities: the registry could not be asked (${verdict.why}): no verdict`);
}
if (foreign.length > 0 || (verdict.asked && verdict.packages.length > 0)) process.exitCode = 1;
else if (!verdict.asked && process.argv.includes('--strict')) process.exitCode = 2;
