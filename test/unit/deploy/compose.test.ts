import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { stopDelayMs } from '../../../src/runtime/run-process.ts';
import { readSettings, settingsSchema } from '../../../src/runtime/settings.ts';
import { searchAttributes } from '../../../src/temporal/contract/search-attributes.ts';

interface Service {
  profiles?: string[];
  image?: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  networks?: string[];
  entrypoint?: string[];
  depends_on?: unknown;
  stop_grace_period?: string;
  healthcheck?: { test: string[] };
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
}

const root = new URL('../../../', import.meta.url);
const compose = parse(readFileSync(new URL('docker-compose.yml', root), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
};
const { services } = compose;
const service = (name: string): Service => services[name] ?? {};
/** The folders of secrets that make-secrets creates for each service. */
const secretsDirectory = mkdtempSync(join(tmpdir(), 'compose-secrets-'));
const makeSecrets = () =>
  spawnSync(process.execPath, ['dist/src/cli/make-secrets.js', secretsDirectory], {
    cwd: root,
    encoding: 'utf8',
  });
const made = makeSecrets();
afterAll(() => rmSync(secretsDirectory, { recursive: true, force: true }));

/** Returns the folder of secrets that is mounted into a service. */
const folderOf = (name: string): string =>
  /^secrets-([a-z-]+):\/secrets:ro$/.exec(
    service(name).volumes?.find((volume) => volume.endsWith(':/secrets:ro')) ?? '',
  )?.[1] ?? '';
const variablesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(join(secretsDirectory, folder, 'env'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
/** Returns a process's environment: the values of the compose file and of its file of secrets. */
const environment = (name: string): Record<string, string> => {
  const folder = folderOf(name);
  return { ...service(name).environment, ...(folder && variablesIn(folder)) };
};

describe('docker-compose.yml', () => {
  it('gives api and worker settings that the code knows and accepts', () => {
    for (const name of ['api', 'worker', 'migrate']) {
      const unknown = Object.keys(environment(name)).filter((key) => !(key in settingsSchema.shape));
      expect(unknown).toEqual([]);
      expect(() => readSettings(environment(name))).not.toThrow();
    }
  });

  it('gives api and worker longer to stop than they take', () => {
    const { DRAIN_SECONDS } = settingsSchema.parse({ DATABASE_URL: 'postgres://unused' });
    for (const name of ['api', 'worker']) {
      const period = /^(\d+)s$/.exec(service(name).stop_grace_period ?? '')?.[1];
      expect(Number(period) * 1_000).toBeGreaterThan(stopDelayMs + DRAIN_SECONDS * 1_000);
    }
  });

  it('gives our own processes no privilege and no image to write to', () => {
    const own = Object.entries(services).filter(([, { image }]) => image === 'card-payments');
    expect(own.length).toBeGreaterThanOrEqual(9);
    for (const [name, { read_only, cap_drop, security_opt }] of own) {
      expect({ name, read_only, cap_drop, security_opt }).toEqual({
        name,
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  it('has an image with a health check', () => {
    const dockerfile = readFileSync(new URL('Dockerfile', root), 'utf8');
    const [, program = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [command = '', ...args] = JSON.parse(program) as string[];
    expect(command).toBe('node');
    const check = (env: Record<string, string>) => spawnSync(process.execPath, args, { env }).status;
    // Nothing listens on port 1. A process without a port has nothing to check.
    expect([check({ PRIVATE_PORT: '1' }), check({ CARD_FRAME_PORT: '1' }), check({})]).toEqual([1, 1, 0]);
  });

  it('publishes the ports of the processes on loopback only', () => {
    const settings = readSettings(environment('api'));
    expect(service('api').ports).toEqual([
      `127.0.0.1:${settings.API_PORT}:${settings.API_PORT}`,
      `127.0.0.1:${settings.PRIVATE_PORT}:${settings.PRIVATE_PORT}`,
    ]);
    expect(new URL(settings.PUBLIC_URL).port).toBe(String(settings.API_PORT));
    expect(service('vault').ports).toEqual(['127.0.0.1:4010:4010']);
    expect(service('network').ports).toEqual(['127.0.0.1:4020:4020']);
    expect(service('vault-live').ports).toEqual(['127.0.0.1:4011:4010']);
    expect(service('network-live').ports).toEqual(['127.0.0.1:4021:4020']);
    for (const { ports } of Object.values(services)) {
      for (const port of ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });

  it('starts entry points that exist', () => {
    const started = Object.values(services).flatMap(({ command }) => command ?? []);
    const entries = started.filter((word) => word.startsWith('dist/'));
    expect(entries).toHaveLength(9);
    for (const entry of entries) {
      const source = entry.replace(/^dist\//, '').replace(/\.js$/, '.ts');
      expect([source, existsSync(new URL(source, root))]).toEqual([source, true]);
    }
  });

  it('puts no test and no test tool into the image', () => {
    const dockerfile = readFileSync(new URL('Dockerfile', root), 'utf8');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(copied).toContain('src');
    expect(copied.filter((name) => /^(\.|test)(\/|$)/.test(name))).toEqual([]);
  });

  it('gives both sides of each connection the same secret and address', () => {
    const api = environment('api');
    expect(environment('card-frame')['CARD_FRAME_URL']).toBe(api['CARD_FRAME_URL']);
    expect(environment('card-frame')['PUBLIC_URL']).toBe(api['PUBLIC_URL']);
    expect(environment('vault')['VAULT_SIM_SERVICE_KEY']).toBe(api['VAULT_SERVICE_KEY']);
    expect(environment('vault')['VAULT_SIM_PUBLIC_URL']).toBe(api['VAULT_PUBLIC_URL']);
    expect(environment('network')['NETWORK_SIM_SERVICE_KEY']).toBe(api['NETWORK_SERVICE_KEY']);
    expect(environment('network')['NETWORK_SIM_CALLBACK_SECRET']).toBe(api['NETWORK_CALLBACK_SECRET']);
    expect(environment('network')['NETWORK_SIM_VAULT_KEY']).toBe(
      environment('vault')['VAULT_SIM_NETWORK_KEY'],
    );
    expect(environment('network')['NETWORK_SIM_VAULT_URL']).toBe(api['VAULT_URL']);
  });

  it('gives live its own simulators, which share nothing with the sandbox and are reached by the service only', () => {
    const api = environment('api');
    const [vault, network] = [environment('vault-live'), environment('network-live')];
    expect(vault['VAULT_SIM_SERVICE_KEY']).toBe(api['LIVE_VAULT_SERVICE_KEY']);
    expect(vault['VAULT_SIM_PUBLIC_URL']).toBe(api['LIVE_VAULT_PUBLIC_URL']);
    expect(network['NETWORK_SIM_SERVICE_KEY']).toBe(api['LIVE_NETWORK_SERVICE_KEY']);
    expect(network['NETWORK_SIM_CALLBACK_SECRET']).toBe(api['LIVE_NETWORK_CALLBACK_SECRET']);
    expect(network['NETWORK_SIM_VAULT_KEY']).toBe(vault['VAULT_SIM_NETWORK_KEY']);
    expect(network['NETWORK_SIM_VAULT_URL']).toBe(api['LIVE_VAULT_URL']);
    const secrets = (name: string) =>
      Object.entries(environment(name)).flatMap(([variable, value]) =>
        /(KEY|SECRET)$/.test(variable) ? [value] : [],
      );
    const ofSandbox = new Set([...secrets('vault'), ...secrets('network')]);
    expect(
      [...secrets('vault-live'), ...secrets('network-live')].filter((secret) => ofSandbox.has(secret)),
    ).toEqual([]);
    const volumes = (name: string) => service(name).volumes ?? [];
    for (const name of ['vault', 'network']) {
      expect(volumes(`${name}-live`).filter((volume) => volumes(name).includes(volume))).toEqual([]);
    }
  });

  it('makes its secrets once, separately for each process, and has none in the file', () => {
    expect([made.status, made.stdout]).toEqual([0, 'secrets made\n']);
    const before = variablesIn('owner');
    expect(makeSecrets().stdout).toBe('the secrets are there\n');
    expect(variablesIn('owner')).toEqual(before);
    const makers = service('secrets').volumes ?? [];
    const mounted = Object.keys(services)
      .map(folderOf)
      .filter((folder) => folder !== '');
    for (const folder of mounted) expect(makers).toContain(`secrets-${folder}:/secrets/${folder}`);
    const text = readFileSync(new URL('docker-compose.yml', root), 'utf8');
    expect(text).not.toMatch(/(PASSWORD|SECRET|_KEYS?|_PWD): /);
  });

  it("gives the owner's password to no long-running process, and each process its own user", () => {
    const ownersPassword = new URL(variablesIn('owner')['DATABASE_URL'] ?? '').password;
    for (const name of ['api', 'worker', 'temporal', 'vault', 'network', 'temporal-ui']) {
      expect(JSON.stringify(environment(name))).not.toContain(ownersPassword);
    }
    const userOf = (name: string) => new URL(environment(name)['DATABASE_URL'] ?? '').username;
    expect([userOf('api'), userOf('worker'), userOf('migrate')]).toEqual([
      'card_payments_api',
      'card_payments_worker',
      'card_payments',
    ]);
  });

  it('makes PostgreSQL and Temporal unreachable from outside', () => {
    for (const name of ['postgres', 'temporal']) expect(service(name).ports).toBeUndefined();
    const reach = (network: string): string[] =>
      Object.keys(services).filter((name) => service(name).networks?.includes(network));
    expect(reach('data')).not.toEqual(expect.arrayContaining(['vault']));
    expect(reach('temporal')).not.toEqual(expect.arrayContaining(['network']));
    expect((compose.networks['data'] ?? {}).internal).toBe(true);
    expect((compose.networks['temporal'] ?? {}).internal).toBe(true);
  });

  it('registers every search attribute the workflows set, before the first of them starts', () => {
    const script = (service('temporal-namespace').command ?? []).join('\n');
    for (const [name, type] of Object.entries(searchAttributes)) {
      expect(script).toContain(`${name}:${type}`);
    }
    expect(service('worker').depends_on).toHaveProperty('temporal-namespace');
    expect(service('api').depends_on).toHaveProperty('temporal-namespace');
  });

  it.each([
    ['all are there', 'exit 0', 0],
    ['one cannot be registered', 'case "$*" in *AmountCents*) exit 1;; esac', 1],
  ])('fails when the registration of attributes fails: %s', (_what, create, exitCode) => {
    const directory = mkdtempSync(join(tmpdir(), 'compose-'));
    const fake = `#!/bin/sh
case "$3" in
  list) cat ${directory}/known 2>/dev/null; exit 0;;
  create) case "$2" in search-attribute) ${create === 'exit 0' ? ':' : create}; echo "$7 x" >> ${directory}/known;; esac;;
esac
`;
    writeFileSync(join(directory, 'temporal'), fake, { mode: 0o755 });
    // Replaces what compose itself replaces before the shell reads the script.
    const script = (service('temporal-namespace').command ?? []).join('\n').replaceAll('$$', '$');
    const ran = spawnSync('/bin/sh', ['-ec', script], {
      env: { PATH: `${directory}:${process.env['PATH']}`, TRIES: '1' },
      encoding: 'utf8',
    });
    rmSync(directory, { recursive: true, force: true });
    expect([ran.status, ran.stderr]).toEqual([
      exitCode,
      exitCode === 0 ? '' : 'search attribute AmountCents could not be registered\n',
    ]);
  });

  it('checks the health of api and worker at their ports', () => {
    for (const name of ['api', 'worker']) {
      const [, node, , script = ''] = service(name).healthcheck?.test ?? [];
      expect([node, script]).toEqual(['node', expect.stringContaining('/readyz')]);
    }
    expect(readSettings(environment('api')).WORKER_PORT).toBeUndefined();
    expect(readSettings(environment('worker')).WORKER_PORT).toBe(3002);
  });

  it('runs the roles of a Temporal cluster under their names, with the shards of the local stack', () => {
    const roles = Object.entries(services).filter(([, { profiles = [] }]) => profiles.includes('cluster'));
    const hosts = roles.filter(([, { environment: set = {} }]) => 'TEMPORAL_SERVICES' in set);
    expect(
      Object.fromEntries(hosts.map(([name, each]) => [name, each.environment?.['TEMPORAL_SERVICES']])),
    ).toEqual({
      'temporal-history-1': 'history',
      'temporal-history-2': 'history',
      'temporal-matching-1': 'matching',
      'temporal-matching-2': 'matching',
      'temporal-frontend-1': 'frontend',
      'temporal-worker-1': 'worker',
    });
    const source = readFileSync(new URL('local-stack/temporal-cluster.ts', root), 'utf8');
    for (const [, { environment: set = {}, networks, ports }] of hosts) {
      expect(source).toContain(`const SHARDS = ${set['NUM_HISTORY_SHARDS']};`);
      expect([set['POSTGRES_SEEDS'], set['VISIBILITY_POSTGRES_SEEDS']]).toEqual([
        'postgres-temporal',
        'postgres-visibility',
      ]);
      expect([networks, ports]).toEqual([['data', 'temporal'], undefined]);
    }
    expect(roles.map(([name]) => name)).toEqual(
      expect.arrayContaining(['postgres-temporal', 'postgres-visibility']),
    );
  });

  it('pins current images: server and tools of one version, none of them retired', () => {
    const version = (name: string): string => service(name).image?.split(/[:@]/)[1] ?? '';
    expect(version('temporal')).toBe(version('temporal-schema'));
    expect(version('temporal')).toBe(version('temporal-namespace'));
    const programs = readFileSync(new URL('local-stack/temporal-server-programs.ts', root), 'utf8');
    expect(programs).toContain(`temporal-server-${version('temporal')}'`);
    expect(programs).toContain(`temporal-ui-server-${version('temporal-ui')}'`);
    for (const [name, { image }] of Object.entries(services)) {
      expect([name, image]).toEqual([
        name,
        expect.stringMatching(/^(postgres:\d+|temporalio\/[a-z-]+:\d|card-payments$)/),
      ]);
      expect(image).not.toMatch(/auto-setup|:latest/);
    }
  });
});
