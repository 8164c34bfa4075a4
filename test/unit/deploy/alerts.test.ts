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
  'the runbook of %s says what it means, where to look, what to do and when it is done',
  (name) => {
    const headings = [...read(`docs/runbooks/${name}.md`).matchAll(/^#+ (.+)$/gm)].map(([, text]) => text);
    expect(headings).toEqual([name, 'Means', 'Look', 'Do', 'Done when']);
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

it.each(names)('the runbook of %s looks, acts and ends with commands, and says what they print', (name) => {
  const [, ...parts] = read(`docs/runbooks/${name}.md`).split(/^## /m);
  for (const part of parts.slice(1)) expect(part).toContain('```sh');
  expect(parts.at(-1)).toMatch(/prints|```text/i);
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

it('the commands of the runbooks are defined for every kind of installation', () => {
  const script = join(projectRoot, 'deploy/runbooks.sh');
  for (const kind of ['stack', 'compose', 'kubernetes']) {
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', `. ${script} ${kind} && declare -F admin ready metrics logs sql workflow`],
      { encoding: 'utf8' },
    );
    expect([kind, status, stderr]).toEqual([kind, 0, '']);
  }
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
