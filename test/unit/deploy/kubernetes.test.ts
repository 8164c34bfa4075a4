import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { stopDelayMs } from '../../../src/runtime/run-process.ts';
import { readSettings, settingsSchema } from '../../../src/runtime/settings.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

interface Container {
  name: string;
  command: string[];
  env?: { name: string }[];
  envFrom?: { secretRef?: { name: string } }[];
  readinessProbe?: { httpGet: { path: string; port: string } };
  livenessProbe?: { httpGet: { path: string; port: string } };
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  securityContext: Record<string, unknown>;
  ports?: { name: string; containerPort: number }[];
}

interface Resource {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  stringData?: object;
  spec?: {
    template?: {
      metadata: { labels: Record<string, string> };
      spec: {
        terminationGracePeriodSeconds?: number;
        topologySpreadConstraints?: unknown[];
        securityContext: Record<string, unknown>;
        automountServiceAccountToken: boolean;
        containers: Container[];
      };
    };
    selector?: { matchLabels?: Record<string, string> };
    ports?: { targetPort: string }[];
    podSelector?: object;
    policyTypes?: string[];
  };
}

const directory = join(projectRoot, 'deploy', 'kubernetes');
const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.yaml') && !name.endsWith('kustomization.yaml'),
);
const resources = files.flatMap((name) =>
  parseAllDocuments(readFileSync(join(directory, name), 'utf8')).map((each) => each.toJS() as Resource),
);
const ofKind = (...kinds: string[]) => resources.filter(({ kind }) => kinds.includes(kind));
const pods = ofKind('Deployment', 'Job').flatMap(({ metadata, spec }) => {
  const pod = spec?.template?.spec;
  const [container] = pod?.containers ?? [];
  return pod && container ? [{ name: metadata.name, pod, container }] : [];
});
const deployments = pods.filter(({ name }) => name !== 'card-payments-migrate');
const settings = ofKind('ConfigMap')[0]?.data ?? {};
const key = (fill: number): string => Buffer.alloc(32, fill).toString('base64');

describe('deploy/kubernetes', () => {
  it('runs every process of the service, from entry points that exist', () => {
    expect(pods.map(({ name }) => name).toSorted()).toEqual([
      'card-payments-api',
      'card-payments-card-frame',
      'card-payments-migrate',
      'card-payments-worker',
    ]);
    for (const { container } of pods) {
      const source = (container.command[1] ?? '').replace(/^dist\//, '').replace(/\.js$/, '.ts');
      expect([source, existsSync(join(projectRoot, source))]).toEqual([source, true]);
    }
  });

  it('gives settings that the code knows and accepts in production', () => {
    const temporal = Object.keys(settings).filter((name) => name.startsWith('TEMPORAL_TLS_'));
    expect(temporal).toHaveLength(3);
    const others = Object.keys(settings).filter((name) => !temporal.includes(name));
    expect(others.filter((name) => !(name in settingsSchema.shape))).toEqual([]);
    const secret = {
      DATABASE_URL: 'postgres://u:p@db.internal/payments?sslmode=verify-full',
      ENCRYPTION_KEYS: `k1:${Buffer.from('0123456789abcdef0123456789ABCDEF').toString('base64')}`,
      VAULT_SERVICE_KEY: key(2),
      NETWORK_SERVICE_KEY: key(3),
      NETWORK_CALLBACK_SECRET: `whsec_${key(4)}`,
      CARD_FRAME_KEY: key(5),
    };
    expect(() => readSettings({ ...settings, ...secret })).not.toThrow();
    // The manual lists the secrets of API and worker, without which they do not start.
    const manual = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8');
    const [row = ''] = manual.split('\n').filter((line) => line.includes('| `card-payments-api`, `card-pay'));
    for (const name of Object.keys(secret)) {
      expect(() => readSettings({ ...settings, ...secret, [name]: '' })).toThrow(name);
      expect(row).toContain(`\`${name}\``);
    }
  });

  it('holds no secret: processes get them by reference, each its own', () => {
    expect(ofKind('Secret')).toEqual([]);
    const references = pods.map(({ name, container }) => [
      name.replace('card-payments-', ''),
      (container.envFrom ?? []).flatMap(({ secretRef }) => (secretRef ? [secretRef.name] : [])),
    ]);
    expect(Object.fromEntries(references)).toEqual({
      api: ['card-payments-api'],
      worker: ['card-payments-worker'],
      migrate: ['card-payments-owner'],
      'card-frame': ['card-payments-card-frame'],
    });
    const names = [
      ...Object.keys(settings),
      ...pods.flatMap(({ container }) => (container.env ?? []).map(({ name }) => name)),
    ];
    expect(names.filter((name) => /KEY$|KEYS$|SECRET|PASSWORD|DATABASE_URL/.test(name))).toEqual([]);
  });

  it.each(pods.map((each) => [each.name, each] as const))('confines %s', (_name, { pod, container }) => {
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(Object.keys(container.resources.requests)).toEqual(['cpu', 'memory']);
    expect(container.resources.limits['memory']).toMatch(/Mi$/);
  });

  it.each(deployments.map((each) => [each.name, each] as const))(
    'spreads %s, stops it late enough, and keeps one of it',
    (name, { pod }) => {
      const { DRAIN_SECONDS } = settingsSchema.parse({ DATABASE_URL: 'postgres://unused' });
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(stopDelayMs / 1_000 + DRAIN_SECONDS);
      expect(pod.topologySpreadConstraints).toHaveLength(1);
      const labels = ofKind('Deployment').find(({ metadata }) => metadata.name === name)?.spec?.selector;
      const budgets = ofKind('PodDisruptionBudget').map(({ spec }) => spec?.selector);
      expect(budgets).toContainEqual(labels);
    },
  );

  it('probes API and workers on their private ports, which no Service publishes', () => {
    const ports = { 'card-payments-api': 'PRIVATE_PORT', 'card-payments-worker': 'WORKER_PORT' };
    for (const [name, setting] of Object.entries(ports)) {
      const { container } = pods.find((each) => each.name === name) ?? {};
      expect(container?.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'private' });
      expect(container?.livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'private' });
      const port = container?.ports?.find((each) => each.name === 'private')?.containerPort;
      expect(String(port)).toBe(settings[setting]);
    }
    const published = ofKind('Service').flatMap(({ spec }) => spec?.ports ?? []);
    expect(published.map(({ targetPort }) => targetPort)).toEqual(['http', 'http']);
  });

  it('refuses every connection that no policy allows', () => {
    const policies = ofKind('NetworkPolicy').map(({ spec }) => spec);
    expect(policies).toContainEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });
});
