import { readFileSync } from 'node:fs';
import { bundleHash } from '../../../src/crypto/bundle-hash.ts';
import { readSettings } from '../../../src/runtime/settings.ts';
import { workflowBuilds } from '../../../src/temporal/contract/builds.ts';
import { workflowTypes } from '../../../src/temporal/contract/ids.ts';
import { buildOf } from '../../../src/worker/build.ts';
import { refuseBuild } from '../../../src/worker/deployment.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** Returns the types of one list that the other lacks, as lines that name them. */
const missing = (where: string, wanted: readonly string[], found: readonly string[]): string[] =>
  wanted.filter((type) => !found.includes(type)).map((type) => `${type} is missing in ${where}`);

it('code, documentation and registered workflows name the same types and behaviors', () => {
  const types = Object.values(workflowTypes);
  const index = read('src/workflows/index.ts');
  const exported = [...(/export \{([^}]*)\}/.exec(index)?.[1] ?? '').matchAll(/\w+/g)].map(([name]) => name);
  const set = [...index.matchAll(/setWorkflowOptions\(behaviorOf\('(\w+)'\), (\w+)\)/g)]
    .filter(([, type, workflow]) => type === workflow)
    .map(([, type = '']) => type);
  const rows = [
    ...read('docs/operations.md').matchAll(/^\| `(\w+Workflow)`\s*\| (pinned|moves)\s*\| `(\w+)`\s*\| \S/gm),
  ].map(([, type = '', behavior, queue]) => ({ type, behavior, queue }));
  expect([
    ...missing('workflowBuilds (src/temporal/contract/builds.ts)', types, Object.keys(workflowBuilds)),
    ...missing('the exports of src/workflows/index.ts', types, exported),
    ...missing('setWorkflowOptions of src/workflows/index.ts', types, set),
    ...missing(
      'the table of docs/operations.md, "Builds"',
      types,
      rows.map(({ type }) => type),
    ),
    ...missing('workflowTypes (src/temporal/contract/ids.ts)', exported, types),
    ...missing(
      'workflowTypes (src/temporal/contract/ids.ts)',
      rows.map(({ type }) => type),
      types,
    ),
  ]).toEqual([]);
  expect(Object.fromEntries(rows.map(({ type, ...row }) => [type, row]))).toEqual(
    Object.fromEntries(
      Object.entries(workflowBuilds).map(([type, { queue, behavior }]) => [
        type,
        { queue, behavior: behavior === 'PINNED' ? 'pinned' : 'moves' },
      ]),
    ),
  );
});

it('one source is one build, wherever it was built', () => {
  const code = 'workflows();';
  const built = (map: string): string => bundleHash(`${code}\n//# sourceMappingURL=data:base64,${map}\n`);
  expect(built('aaaa')).toBe(built('bbbb'));
  expect(built('aaaa')).toBe(bundleHash(code));
  expect(bundleHash('others();')).not.toBe(bundleHash(code));
});

const settings = (own: Record<string, string>) => readSettings({ DATABASE_URL: 'postgres://unused', ...own });

it.each([
  [{}, null],
  [{ WORKER_BUILD_ID: 'b1' }, 'b1'],
  [{ WORKER_BUILD_ID: 'b1', WORKER_VERSIONING: 'off' }, null],
  [{ WORKER_VERSIONING: 'on' }, bundleHash('workflows();').slice(0, 12)],
])('%j is a worker of the build %s', async (own, buildId) => {
  const build = await buildOf(settings(own), { code: 'workflows();' });
  expect(build?.buildId ?? null).toBe(buildId);
});

it('a prefix of the queues is one of the deployment, so that stacks of one namespace differ', async () => {
  const build = await buildOf(settings({ WORKER_BUILD_ID: 'b1', TASK_QUEUE_PREFIX: 'x-' }), { code: '' });
  expect(build?.deploymentName).toBe('x-card-payments');
});

it('refuses a second build of the same name in one line that names the setting', async () => {
  const build = { deploymentName: 'card-payments', buildId: 'b1', bundleHash: 'one' };
  const refused = (stored: string | null) => refuseBuild({ bundleOf: async () => stored }, build);
  expect(await refused(null)).toBeNull();
  expect(await refused('one')).toBeNull();
  expect(await refused('other')).toMatch(
    /^WORKER_BUILD_ID: b1 is the name of a build with other workflows: give/,
  );
});
