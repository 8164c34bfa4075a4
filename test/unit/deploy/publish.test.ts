import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { projectRoot } from '../../support/harness/project-root.ts';

const run = promisify(execFile);

interface Step {
  uses?: string;
  run?: string;
  if?: string;
  'working-directory'?: string;
}
interface Job {
  if?: string;
  needs?: string;
  environment?: string;
  permissions?: Record<string, string>;
  strategy?: { matrix: { package: string[] } };
  steps: Step[];
}

const workflow = parse(readFileSync(join(projectRoot, '.github/workflows/publish.yml'), 'utf8')) as {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
};
const { jobs } = workflow;
const onRelease = "github.event_name == 'release'";
const publishes = ({ run: command = '', uses = '' }: Step): boolean =>
  / publish /.test(`${command} `) || uses.startsWith('pypa/gh-action-pypi-publish@');

describe('the workflow that publishes', () => {
  it('publishes for a release only; by hand it is a dry run', () => {
    expect(Object.keys(workflow.on)).toEqual(['release', 'workflow_dispatch']);
    const publishing = Object.values(jobs).flatMap((job) => job.steps.map((step) => ({ job, step })));
    const found = publishing.filter(({ step }) => publishes(step));
    expect(found).toHaveLength(2);
    for (const { job, step } of found) expect([job.if, step.if]).toContain(onRelease);
  });

  it('signs the provenance of both npm packages, and keeps no token', () => {
    const { npm } = jobs;
    expect(npm?.strategy?.matrix.package).toEqual(['typescript', 'cli']);
    expect(npm?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    expect(npm?.steps.find(publishes)?.run).toMatch(/npm@\S+ publish --provenance --access public$/);
    expect(JSON.stringify(workflow)).not.toContain('secrets.');
  });

  it('publishes the wheel by trusted publishing, in a job that runs nothing of the repository', () => {
    const { pypi } = jobs;
    expect(pypi).toMatchObject({ needs: 'wheel', environment: 'pypi', permissions: { 'id-token': 'write' } });
    expect(pypi?.steps.filter((step) => step.run !== undefined)).toEqual([]);
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });

  it('names every foreign action by its commit', () => {
    const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !/^(\.\/|[\w.-]+\/[\w.-]+@[0-9a-f]{40}$)/.test(name))).toEqual([]);
  });

  it.each(['typescript', 'cli'])('packs sdk/%s in a dry run', async (name) => {
    const cwd = join(projectRoot, 'sdk', name);
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd });
    const [packed] = JSON.parse(stdout) as { name: string; version: string; files: { path: string }[] }[];
    const manifest = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({ name: packed?.name, version: packed?.version });
    expect(manifest).not.toHaveProperty('private');
    expect(packed?.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['package.json', 'README.md']),
    );
  });
});
