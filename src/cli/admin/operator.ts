import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { readSettings, SettingsError, type Settings } from '../../runtime/settings.ts';
import { createKeyring, type Keyring } from '../../crypto/keyring.ts';
import { openDatabase, type Database } from '../../db/server/database.ts';
import type { By } from '../../domain/audit.ts';
import { environments, paymentMethods, type Environment, type PaymentMethod } from '../../domain/statuses.ts';
import { checkOrigin } from '../../domain/urls.ts';
import { readable } from './readable.ts';

/** Returns who the audit trail says makes a change: the operator, on this machine, now. */
export const byOperator = (): By => ({
  actor: { kind: 'operator', id: null, name: 'operator', address: hostname() },
  at: new Date(),
});

/** What went wrong, in one line that names the fix. */
export class OperatorError extends Error {}

export interface Operator {
  database: Database;
  keyring: Keyring;
  settings: Settings;
}

/** Flags every command takes. */
export function withCommonFlags(command: Command): Command {
  return command
    .option('--json', 'print one JSON object on one line (the default in a pipe)')
    .option('--text', 'print for people (the default at a terminal)')
    .option('--data-dir <dir>', 'data directory of the running stack', '.local');
}

/** How an answer is printed. */
export interface PrintFlags {
  json?: boolean;
  text?: boolean;
}

/**
 * Prints an answer: one JSON object on one line, or lines for people at a terminal, where `nobody` stands for
 * an answer that is null.
 */
export function print(answer: object | null, { json, text }: PrintFlags, nobody = 'nothing'): void {
  if (json || (!text && !process.stdout.isTTY)) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else process.stdout.write(answer === null ? `${nobody}\n` : readable(answer, process.stdout.columns));
}

/** Runs a command against DATABASE_URL, or the running stack's database, and prints its answer. */
export async function operate(
  flags: { dataDir: string } & PrintFlags,
  work: (operator: Operator) => Promise<object | null>,
  nobody?: string,
): Promise<void> {
  const settings = operatorSettings(flags.dataDir);
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: 2,
    pooler: settings.DATABASE_POOLER,
    applicationName: 'card-payments-admin',
  });
  try {
    const keyring = createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS);
    const answer = await work({ database, keyring, settings });
    print(answer, flags, nobody);
  } finally {
    await database.end();
  }
}

function operatorSettings(dataDir: string): Settings {
  try {
    if (process.env['DATABASE_URL']) return readSettings(process.env);
    const path = join(dataDir, 'stack.json');
    let stack: Partial<Record<'baseUrl' | 'databaseUrl' | 'temporalAddress' | 'temporalUiUrl', unknown>>;
    try {
      stack = JSON.parse(readFileSync(path, 'utf8')) as typeof stack;
    } catch {
      throw new OperatorError(
        `no running stack at ${path}: run npm start, pass --data-dir, or set DATABASE_URL`,
      );
    }
    return readSettings({
      ...process.env,
      PUBLIC_URL: process.env['PUBLIC_URL'] || String(stack.baseUrl),
      DATABASE_URL: String(stack.databaseUrl),
      TEMPORAL_ADDRESS: String(stack.temporalAddress),
      TEMPORAL_UI_URL: String(stack.temporalUiUrl),
    });
  } catch (error) {
    if (error instanceof SettingsError) throw new OperatorError(error.message);
    throw error;
  }
}

export function environmentFlag(text: string): Environment {
  const found = environments.find((name) => name === text);
  if (!found) throw new OperatorError(`--environment must be ${environments.join(' or ')}`);
  return found;
}

export function methodsFlag(text: string): PaymentMethod[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const found = paymentMethods.find((method) => method === part);
      if (!found)
        throw new OperatorError(`--methods must be a comma-separated list of ${paymentMethods.join(', ')}`);
      return found;
    });
}

/** Website origins, in the canonical form they are compared in (AMB-51). */
export function originsFlag(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const checked = checkOrigin(part, { allowHttpLoopback: true });
      if (!checked.ok)
        throw new OperatorError(`--embedding-origins: ${part} is not an origin such as https://shop.example`);
      return checked.origin;
    });
}

export function switchFlag(name: string): (text: string) => boolean {
  return (text) => {
    if (text !== 'on' && text !== 'off') throw new OperatorError(`${name} must be on or off`);
    return text === 'on';
  };
}

export function uuidFlag(name: string): (text: string) => string {
  return (text) => {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
      throw new OperatorError(`${name} must be a UUID`);
    return text.toLowerCase();
  };
}
