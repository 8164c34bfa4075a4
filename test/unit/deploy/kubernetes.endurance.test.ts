import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../support/harness/project-root.ts';
import { installPython } from '../../support/harness/python-tools.ts';

const deploy = join(projectRoot, 'deploy', 'kubernetes');
const requirements = join(import.meta.dirname, 'kubernetes-requirements.txt');
const canRender = spawnSync('kubectl', ['version', '--client'], { timeout: 20_000 }).status === 0;
const bin = await installPython('kubernetes-validate', requirements).catch(() => undefined);

if (bin === undefined || !canRender) {
  process.stderr.write(
    'SKIPPED: the check of deploy/kubernetes against the schemas of Kubernetes, because kubectl or ' +
      'kubernetes-validate (python3 and PyPI) cannot be had here.\n',
  );
}
const whereItCanRun = bin === undefined || !canRender ? describe.skip : describe;

/** Returns the faults that kubernetes-validate finds in a text of resources; empty when there are none. */
function faultsOf(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-kubernetes-'));
  try {
    const file = join(directory, 'all.yaml');
    writeFileSync(file, text);
    const program = join(bin ?? '', 'kubernetes-validate');
    const { status, stdout, stderr } = spawnSync(program, ['--strict', '--quiet', file], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    return status === 0 ? '' : `${stdout}${stderr}` || 'failed';
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const render = (...place: string[]) =>
  spawnSync('kubectl', ['kustomize', join(deploy, ...place)], { encoding: 'utf8', timeout: 60_000 }).stdout;

whereItCanRun('deploy/kubernetes', () => {
  it.each([
    ['the service', []],
    ['a build of the workers', ['builds', '0.1.0']],
  ])(
    'kustomize renders %s into valid resources',
    (_what, place) => {
      const text = render(...place);
      expect(text).toContain('kind: Deployment');
      expect(faultsOf(text)).toBe('');
      // A field that no schema has is found.
      expect(faultsOf(text.replace('replicas:', 'replica:'))).not.toBe('');
    },
    120_000,
  );
});
