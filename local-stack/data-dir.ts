import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { makeDirectory } from '../scripts/lib/make-directory.mjs';
import { StackProblem, codeOf, reasonOf } from './problem.ts';

const KEPT_LOGS = 3;

export type DataDir = ReturnType<typeof dataDirAt>;

/** Returns the paths of all files that the stack keeps. */
export function dataDirAt(path: string) {
  return {
    path,
    lockFile: join(path, 'launcher.lock'),
    /** Addresses and credentials of the running stack, for other programs (docs/operations.md). */
    stackFile: join(path, 'stack.json'),
    /** Processes that the next launcher stops if this one is killed. */
    runFile: join(path, 'run.json'),
    secretsFile: join(path, 'secrets.json'),
    sandboxFile: join(path, 'sandbox.json'),
    portsFile: join(path, 'ports.json'),
    postgres: join(path, 'postgres'),
    /** Directory of the replica, with `--standby`. */
    postgresStandby: join(path, 'postgres-standby'),
    /** Directories of a Temporal cluster's two databases: history and visibility. */
    postgresTemporal: join(path, 'postgres-temporal'),
    postgresVisibility: join(path, 'postgres-visibility'),
    temporal: join(path, 'temporal'),
    vault: join(path, 'vault'),
    network: join(path, 'network'),
    liveVault: join(path, 'vault-live'),
    liveNetwork: join(path, 'network-live'),
    stripe: join(path, 'stripe'),
    pciVault: join(path, 'pci-vault'),
    /** The connector that the last start gave the sandbox merchant. */
    connectorFile: join(path, 'connector.json'),
    logs: join(path, 'logs'),
  };
}

/** Creates the directory when missing. Throws StackProblem when it cannot be used. */
export function makeDataDir(dataDir: DataDir): void {
  const probe = join(dataDir.path, `.probe-${process.pid}`);
  try {
    makeDirectory(dataDir.path);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new StackProblem(
      `${dataDir.path} cannot be the data directory (${reasonOf(error)}): choose another with --data-dir`,
    );
  }
}

/** `--fresh`: deletes what earlier runs stored; other files in the directory stay. */
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
    makeDirectory(path, { mode: 0o700 });
  }
}

/** Renames the logs of earlier runs to the next number and deletes the oldest. */
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
  /** Credentials at the simulators of live payments. */
  live: simulatorSecrets,
});

/** Credentials at one environment's simulators. */
export type SimulatorSecrets = z.infer<typeof simulatorSecrets>;

/** Random for each data directory. They allow a process to act as the service, so the file has mode 0600. */
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
  // A data directory of an earlier version has no secrets for live payments.
  const { live = simulators(), ...others } = stored ?? { postgresPassword: key(), ...simulators() };
  const secrets = { ...others, live };
  if (stored?.live !== undefined) return secrets;
  writeJson(dataDir.secretsFile, secrets);
  return secrets;
}

/** Writes a JSON file with mode 0600. A rename replaces it, so a reader never sees half of it. */
export function writeJson(path: string, value: unknown): void {
  const scratch = `${path}.${process.pid}.tmp`;
  writeFileSync(scratch, `${JSON.stringify(value, null, 1)}\n`, { mode: 0o600 });
  renameSync(scratch, path);
}

/**
 * Returns undefined when the file does not exist. Throws StackProblem when its content does not match the
 * schema.
 */
export function readJson<T extends z.ZodType>(path: string, schema: T): z.infer<T> | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new StackProblem(`${reasonOf(error)}: fix it, or choose another directory with --data-dir`);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new StackProblem(`${path} is damaged: start with --fresh, or choose another --data-dir`);
  }
}
