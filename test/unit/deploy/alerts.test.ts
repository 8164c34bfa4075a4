import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createMetricsPage } from '../../../src/metrics/page.ts';
import { series } from '../../../src/metrics/series.ts';
import { createSystemGauges } from '../../../src/metrics/system-figures.ts';
import { dashboardExpressions, selectorsOf } from '../../alerts/expressions.ts';
import { deployedRules } from '../../alerts/prometheus.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const rules = deployedRules();
const names = [...new Set(rules.map(({ alert }) => alert))];
const dashboard = read('deploy/grafana/card-payments.json');

it('has these alerts', () => {
  expect(names).toEqual([
    'PaymentsFailing',
    'PaySlow',
    'OutcomeUnknownTooLong',
    'PaymentsOverdue',
    'WebhooksBehind',
    'SweepsStopped',
    'WorkerAbsent',
    'ApiAbsent',
    'DatabasePoolExhausted',
    'OperatorAlertOpen',
    'ReconciliationDifference',
    'ReconciliationStale',
  ]);
});

it.each(rules)('$alert has a severity and the runbook of its name', ({ alert, labels, annotations }) => {
  expect(labels['severity']).toMatch(/critical|warning/);
  expect(annotations['runbook_url']).toBe(`docs/runbooks/${alert}.md`);
});

it.each(names)(
  'the runbook of %s says what it means, how to see that it is real, what to do and how to see that it is over',
  (name) => {
    const headings = [...read(`docs/runbooks/${name}.md`).matchAll(/^#{1,2} (.+)$/gm)].map(
      ([, text]) => text,
    );
    expect(headings).toEqual([
      name,
      'What it means',
      'How to see that it is real',
      'What to do',
      'How to see that it is over',
    ]);
    // Each runbook has at least one command to copy.
    expect(read(`docs/runbooks/${name}.md`)).toContain('```sh');
  },
);

it('has a made-up case for each alert, and no runbook without an alert but that of a restore', () => {
  const cases = read('test/alerts/made-up-series.yml');
  for (const name of names) expect(cases).toContain(`alertname="${name}"`);
  const pages = readdirSync(join(projectRoot, 'docs/runbooks')).filter(
    (file) => /^[A-Z]\w+\.md$/.test(file) && file !== 'README.md',
  );
  expect(pages.toSorted()).toEqual(names.map((name) => `${name}.md`).toSorted());
});

it.each(names)('the runbook of %s has commands in each part, and says what the checks print', (name) => {
  const [, , real = '', act = '', over = ''] = read(`docs/runbooks/${name}.md`).split(/^## /m);
  for (const part of [real, act, over]) expect(part).toContain('```sh');
  for (const check of [real, over]) expect(check).toMatch(/prints|```text/i);
});

/** Every page of the folder, also those without an alert. */
const everyPage = readdirSync(join(projectRoot, 'docs/runbooks')).filter((file) => file !== 'README.md');

it.each(everyPage)('the runbook %s names where its commands come from', (file) => {
  const [start = ''] = read(`docs/runbooks/${file}`).split(/^## /m);
  expect(start).toContain('(README.md#define-the-commands)');
});

it.each(everyPage)('the runbook %s restarts processes for every kind of installation', (file) => {
  expect(read(`docs/runbooks/${file}`)).not.toMatch(/docker compose|kubectl/);
});

it.each([...everyPage, 'README.md'])('the runbook %s has no line of more than 150 characters', (file) => {
  const long = read(`docs/runbooks/${file}`)
    .split('\n')
    .filter((line) => line.length > 150 && !line.trimStart().startsWith('|'));
  expect(long).toEqual([]);
});

it('runbooks call commands of the operator that exist', () => {
  const texts = names.map((name) => read(`docs/runbooks/${name}.md`)).join('\n');
  const commands = [...texts.matchAll(/^ *admin (\w+) (\w+)/gm)];
  expect(commands.length).toBeGreaterThan(10);
  const known = read('docs/operations.md');
  for (const [, noun = '', verb = ''] of commands) {
    const line = known.split('\n').find((one) => one.startsWith(`${noun} `) && one.includes(verb));
    expect([noun, verb, line !== undefined]).toEqual([noun, verb, true]);
  }
});

/** Kinds of operator alerts, by the file that raises them. The alerts of a sweep have its name. */
const alertKinds: Readonly<Record<string, string>> = {
  'src/cli/admin/deploy.ts': 'deploys',
  'src/db/disputes/dispute-checks.ts': 'unreadable disputes',
  'src/db/payments/charge-alerts.ts': 'unreadable charges',
  'src/db/payments/unexpected-captures.ts': 'unexpected captures',
  'src/db/server/clock-watch.ts': 'clock',
  'src/db/server/restore-watch.ts': 'restored rows',
  'src/db/server/sweep-leaders.ts': 'leader',
  'src/operations/payments/card-testing.ts': 'card testing',
  'src/sweeps/check-timeline.ts': 'cluster timeline',
  'src/sweeps/page-watch.ts': 'payment page',
  'src/sweeps/sweep-abandoned-builds.ts': 'abandoned builds',
  'src/sweeps/sweep-mail.ts': 'mail',
  'src/sweeps/sweep-partitions.ts': 'partitions',
  'src/worker/failed-tasks.ts': 'workflow tasks',
};

it('OperatorAlertOpen says what to do for every kind of operator alert', () => {
  const raises =
    /(raiseAlert|raiseBoundedAlert|confirmAlert)\(|INSERT INTO operator_alerts|alerts\.(raise|failed)\(/;
  // These raise the alerts of sweeps and those of other files, or mark the alert of an unreadable charge.
  const others = [
    'db/payments/attempt-answers.ts',
    'db/server/operator-alerts.ts',
    'sweeps/alerts.ts',
    'sweeps/process-due.ts',
    'sweeps/turns.ts',
  ];
  const raising = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !others.includes(name) && raises.test(read(`src/${name}`)))
    .map((name) => `src/${name}`);
  expect(raising.toSorted()).toEqual(Object.keys(alertKinds));
  const rows = read('docs/runbooks/OperatorAlertOpen.md').match(/^\| `.*$/gm) ?? [];
  for (const [file, kind] of Object.entries(alertKinds)) {
    expect([file, read(file).includes(`'${kind}'`)]).toEqual([file, true]);
    expect([kind, rows.some((row) => row.split('|')[1]?.includes(`\`${kind}\``))]).toEqual([kind, true]);
  }
});

it('the commands of the runbooks are defined for every kind of installation', () => {
  const script = join(projectRoot, 'deploy/runbooks.sh');
  for (const kind of ['stack', 'compose', 'kubernetes']) {
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', `. ${script} ${kind} && declare -F admin ready metrics logs restart sql workflow`],
      { encoding: 'utf8' },
    );
    expect([kind, status, stderr]).toEqual([kind, 0, '']);
  }
});

/** Runs a line of bash after the commands of a kind of installation were defined. */
function inShell(kind: string, line: string): { status: number | null; stdout: string; stderr: string } {
  const script = join(projectRoot, 'deploy/runbooks.sh');
  return spawnSync('bash', ['-c', `. ${script} ${kind}; ${line}`], { encoding: 'utf8' });
}

it.each([
  ['compose', 'api', 'docker compose restart api\n'],
  ['kubernetes', 'pod/card-payments-api-1', 'kubectl -n card-payments delete pod/card-payments-api-1\n'],
])('restart restarts a process on %s by the name that ready prints', (kind, name, runs) => {
  const { stdout } = inShell(
    kind,
    `docker() { echo docker "$@"; }; kubectl() { echo kubectl "$@"; }; restart ${name}`,
  );
  expect(stdout).toBe(runs);
});

it('restart ends a process of npm start that hangs, because its supervisor starts it again', () => {
  // A stopped process ignores every signal but KILL until it continues.
  const hung = 'sleep 60 & hung=$!; kill -STOP $hung; jq() { echo $hung; }; RUNBOOK_GRACE_SECONDS=1';
  const { stdout } = inShell('stack', `${hung}; restart api; wait $hung; echo ended by $(($? - 128))`);
  expect(stdout).toBe('ended by 9\n');
});

it('restart names a process of npm start that does not exist', () => {
  const { status, stderr } = inShell('stack', 'jq() { :; }; restart worker-9');
  expect([status, stderr]).toEqual([1, 'no process has the name worker-9: see ready\n']);
});

it('reads only series that a process exports', async () => {
  const gauges = createSystemGauges({
    payments: () => null,
    deliveries: () => null,
    reconciliations: () => null,
  });
  const own = await createMetricsPage({ others: [gauges] }).text();
  const exported = [...own.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
  const expressions = [...dashboardExpressions(dashboard), ...rules.map(({ expr }) => expr)];
  const missing = expressions
    .flatMap(selectorsOf)
    .map((selector) => selector.replace(/\{.*/, ''))
    .filter((name) => name !== 'up' && !name.startsWith('temporal_'))
    .filter((name) => !exported.includes(name.replace(/_(bucket|count|sum)$/, '')));
  expect([...new Set(missing)].toSorted()).toEqual([]);
  expect(series.getMetricsAsArray().length).toBeGreaterThan(10);
});

it('the dashboard has these rows', () => {
  const { panels } = JSON.parse(dashboard) as { panels: { type: string; title: string }[] };
  expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
    'Payments',
    'Money after the payment',
    'Webhooks',
    'Providers',
    'Processes',
    'Temporal',
  ]);
});

it('scrapes APIs and workers under the names that the alerts use', () => {
  const jobs = [...read('deploy/prometheus/prometheus.yml').matchAll(/job_name: (\S+)/g)].map(
    ([, job]) => job,
  );
  expect(jobs).toEqual(['card-payments-api', 'card-payments-worker']);
  expect(existsSync(join(projectRoot, 'deploy/prometheus/alerts.yml'))).toBe(true);
});
