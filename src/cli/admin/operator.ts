import { type Scope, scopes, scopeSets } from '../../domain/scopes.ts';
import { isAddressOrNetwork, maxAddresses } from '../../operations/address-list.ts';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { unwrapKeys } from '../../runtime/open-keys.ts';
import { readSettings, SettingsError, type Settings } from '../../runtime/settings.ts';
import { createKeyring, type Keyring } from '../../crypto/keyring.ts';
import { createDatabaseClock } from '../../db/server/database-clock.ts';
import { openDatabase, type Database } from '../../db/server/database.ts';
import type { By } from '../../domain/audit.ts';
import { environments, paymentMethods, type Environment, type PaymentMethod } from '../../domain/statuses.ts';
import { checkOrigin } from '../../domain/urls.ts';
import { problems } from '../problems.ts';
import { readable } from './readable.ts';

/** The operator on this machine, as the audit log names it. */
export const operatorActor = (): By['actor'] => ({
  kind: 'operator',
  id: null,
  name: 'operator',
  address: hostname(),
});

/** Returns the author of a change for the audit log: the operator, now, by PostgreSQL's clock. */
export const byOperator = (now: () => number): By => ({ actor: operatorActor(), at: new Date(now()) });

/** Longest duration of one statement, in ms: some commands read every payment. */
const statementTimeoutMs = 60_000;

/** Thrown for a failure, with one line that names the fix. */
export class OperatorError extends Error {}

/**
 * Thrown for a flag that cannot be used with the others. Its exit code differs, so that a script does not
 * take it for a result.
 */
export class WrongFlagError extends OperatorError {}

export interface Operator {
  database: Database;
  keyring: Keyring;
  settings: Settings;
  /** PostgreSQL's time in epoch ms: the clock of this machine may be wrong. */
  now: () => number;
}

/** Adds the flags that every command accepts. */
export function withCommonFlags(command: Command): Command {
  return command
    .option('--json', 'print one JSON object on one line (the default in a pipe)')
    .option('--text', 'print readable lines (the default at a terminal)')
    .option('--data-dir <dir>', 'data directory of the running stack', '.local');
}

/** The flags for the format of an answer. */
export interface PrintFlags {
  json?: boolean;
  text?: boolean;
}

/**
 * Prints an answer: one JSON object on one line, or readable lines at a terminal, where `empty` is printed if
 * the answer is null.
 */
export function print(answer: object | null, { json, text }: PrintFlags, empty = 'nothing'): void {
  if (json || (!text && !process.stdout.isTTY)) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else process.stdout.write(answer === null ? `${empty}\n` : readable(answer, process.stdout.columns));
}

/** Runs a command with the database of DATABASE_URL, or that of the running stack, and prints its answer. */
export async function operate(
  flags: { dataDir: string } & PrintFlags,
  work: (operator: Operator) => Promise<object | null | undefined>,
  empty?: string,
): Promise<void> {
  const settings = await withKeys(operatorSettings(flags.dataDir));
  const keyring = createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS);
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: 2,
    pooler: settings.DATABASE_POOLER,
    applicationName: 'card-payments-admin',
    signWith: keyring,
    statementTimeoutMs,
  });
  try {
    const clock = createDatabaseClock(database);
    await clock.sync();
    const answer = await work({ database, keyring, settings, now: clock.now });
    // Undefined if the command printed its answer itself.
    if (answer !== undefined) print(answer, flags, empty);
  } finally {
    await database.end();
  }
}

/** Returns the settings with their keys unwrapped. Throws `OperatorError`. */
export async function withKeys(settings: Settings): Promise<Settings> {
  try {
    return await unwrapKeys(settings);
  } catch (error) {
    if (error instanceof SettingsError) throw new OperatorError(error.message, { cause: error });
    throw error;
  }
}

/** The facts about a running stack in `stack.json` that commands need. */
type StackKey =
  | 'baseUrl'
  | 'databaseUrl'
  | 'temporalAddress'
  | 'temporalUiUrl'
  | 'vaultUrl'
  | 'networkUrl'
  | 'liveVaultUrl'
  | 'liveNetworkUrl';

const simulatorKeys = z.object({ vaultServiceKey: z.string(), networkServiceKey: z.string() });

/** The credentials for the simulators, in the data directory of a running stack. */
const stackSecrets = simulatorKeys.extend({ live: simulatorKeys });

/** Returns the settings of DATABASE_URL's environment, or of the running stack. Throws `OperatorError`. */
export function operatorSettings(dataDir: string): Settings {
  try {
    if (process.env['DATABASE_URL'] || process.env['DATABASE_URL_FILE']) return readSettings(process.env);
    const path = join(dataDir, 'stack.json');
    let stack: Partial<Record<StackKey, string | null>>;
    try {
      stack = JSON.parse(readFileSync(path, 'utf8')) as typeof stack;
    } catch {
      throw new OperatorError(problems.noRunningStack(path));
    }
    const set = (name: string, value: string | null | undefined) => (value ? { [name]: value } : {});
    return readSettings({
      ...process.env,
      PUBLIC_URL: process.env['PUBLIC_URL'] || String(stack.baseUrl),
      DATABASE_URL: String(stack.databaseUrl),
      TEMPORAL_ADDRESS: String(stack.temporalAddress),
      // The stack does not know the pages of the operator's own Temporal server.
      ...set('TEMPORAL_UI_URL', stack.temporalUiUrl),
      ...set('VAULT_URL', stack.vaultUrl),
      ...set('NETWORK_URL', stack.networkUrl),
      ...set('LIVE_VAULT_URL', stack.liveVaultUrl),
      ...set('LIVE_NETWORK_URL', stack.liveNetworkUrl),
      ...simulatorCredentials(join(dataDir, 'secrets.json')),
    });
  } catch (error) {
    if (error instanceof SettingsError) throw new OperatorError(error.message, { cause: error });
    throw error;
  }
}

/** Returns the settings of the simulators' credentials; none if the file cannot be read. */
function simulatorCredentials(path: string): Record<string, string> {
  try {
    const { live, ...sandbox } = stackSecrets.parse(JSON.parse(readFileSync(path, 'utf8')));
    return {
      VAULT_SERVICE_KEY: sandbox.vaultServiceKey,
      NETWORK_SERVICE_KEY: sandbox.networkServiceKey,
      LIVE_VAULT_SERVICE_KEY: live.vaultServiceKey,
      LIVE_NETWORK_SERVICE_KEY: live.networkServiceKey,
    };
  } catch {
    return {};
  }
}

/** Parses an environment. Throws `OperatorError`, as all parsers below do. */
export function environmentFlag(text: string): Environment {
  const found = environments.find((name) => name === text);
  if (!found) throw new OperatorError(problems.either('--environment', environments));
  return found;
}

/** Parses a comma-separated list of payment methods. */
export function methodsFlag(text: string): PaymentMethod[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const found = paymentMethods.find((method) => method === part);
      if (!found) throw new OperatorError(problems.listOf('--methods', paymentMethods));
      return found;
    });
}

/**
 * Parses the scopes of a key, each once, or a word for a set of them. `full` means no limit. Never returns
 * null, which the command's parser would turn into an empty text.
 */
export function scopesFlag(text: string): Scope[] | 'full' {
  const set = Object.entries(scopeSets).find(([word]) => word === text.trim());
  if (set) return set[1] === null ? 'full' : [...set[1]];
  const named = text.split(',').map((part) => part.trim());
  const found = scopes.filter((scope) => named.includes(scope));
  if (found.length === 0 || named.some((name) => !scopes.some((scope) => scope === name)))
    throw new OperatorError(problems.listOf('--scopes', [...Object.keys(scopeSets), ...scopes]));
  return found;
}

/** Parses IP addresses and networks, such as `10.0.0.0/8`. */
export function addressesFlag(text: string): string[] {
  const entries = text.split(',').map((part) => part.trim());
  if (entries.length > maxAddresses || !entries.every(isAddressOrNetwork))
    throw new OperatorError(problems.addresses('--allow-from', maxAddresses));
  return [...new Set(entries)];
}

/** Parses an amount in whole US cents. */
export const centsFlag =
  (name: string) =>
  (text: string): number => {
    if (!/^[0-9]{1,12}$/.test(text)) throw new OperatorError(problems.cents(name));
    return Number(text);
  };

/** Parses website origins into the canonical form in which they are compared (AMB-51). */
export function originsFlag(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const checked = checkOrigin(part, { allowHttpLoopback: true });
      if (!checked.ok) throw new OperatorError(problems.origin(part));
      return checked.origin;
    });
}

/** Returns the parser of `on` and `off`. */
export function switchFlag(name: string): (text: string) => boolean {
  return (text) => {
    if (text !== 'on' && text !== 'off') throw new OperatorError(problems.either(name, ['on', 'off']));
    return text === 'on';
  };
}

/** Returns the parser of a UUID, which it converts to lower case. */
export function uuidFlag(name: string): (text: string) => string {
  return (text) => {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
      throw new OperatorError(problems.uuid(name));
    return text.toLowerCase();
  };
}
