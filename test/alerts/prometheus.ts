import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { choosePort } from '../../local-stack/ports.ts';
import { Problem } from '../../scripts/lib/problem.mjs';
import { projectRoot } from '../support/harness/project-root.ts';

const deployed = join(projectRoot, 'deploy', 'prometheus');
export const alertsFile = join(deployed, 'alerts.yml');
export const configFile = join(deployed, 'prometheus.yml');

const ruleSchema = z.object({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
});
export type Rule = z.infer<typeof ruleSchema>;
const rulesSchema = z.object({
  groups: z.tuple([z.object({ name: z.string(), rules: z.array(ruleSchema) })]),
});
const configSchema = z.looseObject({
  scrape_configs: z.array(z.looseObject({ job_name: z.string() })),
});

/** Returns the alerts of deploy/prometheus/alerts.yml. */
export const deployedRules = (): Rule[] =>
  rulesSchema.parse(parse(readFileSync(alertsFile, 'utf8'))).groups[0].rules;

/** Seconds that stand for longer ones, so that a fault fires its alert within a minute. */
const shorter: readonly (readonly [RegExp, string])[] = [
  [/\[(?:5m|1h)\]/g, '[20s]'],
  [/\[(?:30m|6h)\]/g, '[40s]'],
  [/\[1m\]/g, '[4s]'],
  [/> 900$/g, '> 5'],
  [/> 600$/g, '> 4'],
  // A sweep of the test's stack runs every second, the slowest every twelve.
  [/^ +300 \+ \($/gm, '20 + ('],
];

/** Returns an alert whose windows, ages and waits are shortened; its expression is else the same. */
function hurried(rule: Rule): Rule {
  const expr = shorter.reduce((text, [long, short]) => text.replaceAll(long, short), rule.expr.trim());
  return { ...rule, expr, ...(rule.for !== undefined && { for: '0s' }) };
}

/** Whether Debian's `prometheus` and `promtool` are here; in CI they are installed where they are not. */
export function isInstalled(): boolean {
  const there = (): boolean =>
    ['prometheus', 'promtool'].every((name) => spawnSync(name, ['--version']).status === 0);
  if (there()) return true;
  if (process.env['CI'] === undefined || process.getuid?.() !== 0) return false;
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { env: environment });
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'prometheus'], {
    env: environment,
  });
  return there();
}

/** Runs promtool; returns its text where it fails, null where all is well. */
export function promtool(...args: string[]): string | null {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return status === 0 ? null : `${stdout}${stderr}`;
}

const answerSchema = z.object({ data: z.object({ result: z.array(z.unknown()) }) });
const firingSchema = z.object({
  data: z.object({
    alerts: z.array(z.object({ state: z.string(), labels: z.looseObject({ alertname: z.string() }) })),
  }),
});

/** A running Prometheus. */
export interface Prometheus {
  /** Returns how many series an expression gives now. */
  count: (expression: string) => Promise<number>;
  /** Returns the names of the alerts that fire now. */
  firing: () => Promise<string[]>;
  stop: () => Promise<void>;
}

/**
 * Starts Prometheus with the deployed configuration, whose targets are these processes, and with the deployed
 * alerts, whose windows and waits are shortened.
 */
export async function startPrometheus(
  directory: string,
  metricsUrls: Readonly<Record<string, string>>,
): Promise<Prometheus> {
  mkdirSync(directory, { recursive: true });
  const config = configSchema.parse(parse(readFileSync(configFile, 'utf8')));
  const targets = (job: string): string[] =>
    Object.entries(metricsUrls)
      .filter(([name]) => job === `card-payments-${name.replace(/-\d+$/, '')}`)
      .map(([, url]) => new URL(url).host);
  const own = {
    ...config,
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    scrape_configs: config.scrape_configs.map((job) => ({
      ...job,
      static_configs: [{ targets: targets(job.job_name) }],
    })),
  };
  writeFileSync(join(directory, 'prometheus.yml'), stringify(own));
  const rules = { groups: [{ name: 'card-payments', rules: deployedRules().map(hurried) }] };
  writeFileSync(join(directory, 'alerts.yml'), stringify(rules));
  const { port } = await choosePort([9190]);
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const url = `http://127.0.0.1:${port}`;
  await untilReady(child, url);
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  return {
    count: async (expression) => {
      const answer = await get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      return answerSchema.parse(answer).data.result.length;
    },
    firing: async () =>
      firingSchema
        .parse(await get('/api/v1/alerts'))
        .data.alerts.filter(({ state }) => state === 'firing')
        .map(({ labels }) => labels.alertname),
    stop: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  let stderrTail = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderrTail = (stderrTail + chunk.toString()).slice(-2_000)));
  for (let tries = 0; tries < 100; tries += 1) {
    if (child.exitCode !== null) break;
    const isReady = await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(200);
  }
  child.kill('SIGKILL');
  throw new Problem(`Prometheus did not start: ${stderrTail}`);
}
