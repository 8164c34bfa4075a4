import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { StackProblem, codeOf, reasonOf } from './problem.ts';

const KEPT_LOGS = 3;

export type DataDir = ReturnType<typeof dataDirAt>;

/** Where everything is that the stack keeps. */
export function dataDirAt(path: string) {
  return {
    path,
    lockFile: join(path, 'launcher.lock'),
    /** What the running stack offers, for other programs (docs/operations.md). */
    stackFile: join(path, 'stack.json'),
    /** What a killed launcher leaves for the next one to stop. */
    runFile: join(path, 'run.json'),
    secretsFile: join(path, 'secrets.json'),
    sandboxFile: join(path, 'sandbox.json'),
    portsFile: join(path, 'ports.json'),
    postgres: join(path, 'postgres'),
    temporal: join(path, 'temporal'),
    vault: join(path, 'vault'),
    network: join(path, 'network'),
    liveVault: join(path, 'vault-live'),
    liveNetwork: join(path, 'network-live'),
    stripe: join(path, 'stripe'),
    pciVault: join(path, 'pci-vault'),
    /** Which connector the sandbox merchant has, by the last start. */
    connectorFile: join(path, 'connector.json'),
    logs: join(path, 'logs'),
  };
}

/** Creates the directory when missing. Throws StackProblem when it cannot be used. */
export function makeDataDir(dataDir: DataDir): void {
  const probe = join(dataDir.path, `.probe-${process.pid}`);
  try {
    mkdirSync(dataDir.path, { recursive: true });
    if (!statSync(dataDir.path).isDirectory()) throw new Error('it is a file');
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new StackProblem(
      `${dataDir.path} cannot be the data directory (${reasonOf(error)}): name another with --data-dir`,
    );
  }
}

/** `--fresh`: forgets what earlier runs stored, and touches nothing else that may lie in the directory. */
export function wipeDataDir(dataDir: DataDir): void {
  const { path: _path, lockFile: _lockFile, ...stored } = dataDir;
  for (const path of Object.values(stored)) rmSync(path, { recursive: true, force: true });
}

export function makeSubdirectories(dataDir: DataDir): void {
  for (const path of [
    dataDir.temporal,
    dataDir.vault,
    dataDir.network,
    dataDir.liveVault,
    dataDir.liveNetwork,
    dataDir.stripe,
    dataDir.pciVault,
    dataDir.logs,
  ]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
}

/** Moves the logs of earlier runs one number up and forgets the oldest. */
export function rotateLog(logsDirectory: string, name: string): void {
  const file = (index: number): string =>
    join(logsDirectory, index === 0 ? `${name}.log` : `${name}.log.${index}`);
  for (let index = KEPT_LOGS - 1; index >= 0; index -= 1) {
    if (existsSync(file(index))) renameSync(file(index), file(index + 1));
  }
}

const simulatorSecrets = z.object({
  vaultServiceKey: z.string(),
  networkServiceKey: z.string(),
  vaultNetworkKey: z.string().describe('The credential of the network at the vault.'),
  callbackSecret: z.string(),
});
const secretsSchema = simulatorSecrets.extend({
  postgresPassword: z.string(),
  /** Of the simulators of live payments. */
  live: simulatorSecrets,
});

/** Credentials at one environment's simulators. */
export type SimulatorSecrets = z.infer<typeof simulatorSecrets>;

/** Random per data directory; whoever has them can act as the service, so they stay in a 0600 file. */
export type StackSecrets = z.infer<typeof secretsSchema>;

export function loadSecrets(dataDir: DataDir): StackSecrets {
  const stored = readJson(dataDir.secretsFile, secretsSchema.partial({ live: true }));
  const key = (): string => randomBytes(32).toString('base64url');
  const simulators = (): SimulatorSecrets => ({
    vaultServiceKey: key(),
    networkServiceKey: key(),
    vaultNetworkKey: key(),
    callbackSecret: `whsec_${randomBytes(32).toString('base64')}`,
  });
  // A directory of an earlier version knows none of live payments.
  const { live = simulators(), ...others } = stored ?? { postgresPassword: key(), ...simulators() };
  const secrets = { ...others, live };
  if (stored?.live !== undefined) return secrets;
  writeJson(dataDir.secretsFile, secrets);
  return secrets;
}

/** Written beside and renamed, so that a reader never sees half of it; mode 0600. */
export function writeJson(path: string, value: unknown): void {
  const scratch = `${path}.${process.pid}.tmp`;
  writeFileSync(scratch, `${JSON.stringify(value, null, 1)}\n`, { mode: 0o600 });
  renameSync(scratch, path);
}

/** Undefined when there is no such file. Throws StackProblem when it does not hold what it should. */
export function readJson<T extends z.ZodType>(path: string, schema: T): z.infer<T> | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new StackProblem(`${reasonOf(error)}: mend it, or name another place with --data-dir`);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new StackProblem(`${path} is damaged: start afresh with --fresh, or name another --data-dir`);
  }
}
