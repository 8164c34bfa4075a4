import { type Command, InvalidArgumentError } from 'commander';
import { existsSync } from 'node:fs';
import { createKeyring } from '../../crypto/keyring.ts';
import { openDatabase } from '../../db/server/database.ts';
import { SettingsError, type Settings } from '../../runtime/settings.ts';
import { type Check, checkOf } from '../doctor/check.ts';
import { checkDatabase } from '../doctor/database.ts';
import { checkDisk } from '../doctor/host.ts';
import { checkSimulators } from '../doctor/providers.ts';
import { checkNames } from '../doctor/settings.ts';
import { checkTemporal } from '../doctor/temporal.ts';
import { problems } from '../problems.ts';
import {
  OperatorError,
  operatorSettings,
  print,
  type PrintFlags,
  withCommonFlags,
  withKeys,
} from './operator.ts';

/** Exit code of a command that found a fault. */
const faultsFound = 3;

interface DoctorFlags extends PrintFlags {
  dataDir: string;
  apis: number;
  workers: number;
}

/**
 * `doctor`: checks everything that a start depends on, and names the fix of each fault. docs/operations.md.
 */
export function doctorCommand(program: Command): void {
  withCommonFlags(program.command('doctor'))
    .option('--apis <n>', 'API processes that are planned', processesFlag('--apis'), 1)
    .option('--workers <n>', 'worker processes that are planned', processesFlag('--workers'), 1)
    .action(async (flags: DoctorFlags) => {
      const checks = await examine(flags);
      print({ checks }, flags);
      if (checks.some(({ ok }) => !ok)) process.exitCode = faultsFound;
    });
}

const processesFlag =
  (name: string) =>
  (text: string): number => {
    if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError(problems.wholeNumber(name, 999));
    return Number(text);
  };

async function examine(flags: DoctorFlags): Promise<Check[]> {
  let settings: Settings;
  try {
    settings = operatorSettings(flags.dataDir);
  } catch (error) {
    if (error instanceof OperatorError && error.cause instanceof SettingsError) {
      return [checkOf('settings', error.message), checkNames(process.env)];
    }
    throw error;
  }
  const service = await checkKeyService(settings);
  const others = async (): Promise<Check[]> => [
    ...(await checkTemporal(settings)),
    ...(await checkSimulators(settings)),
    await checkDisk(existsSync(flags.dataDir) ? flags.dataDir : '.'),
  ];
  const first = [checkOf('settings', null), checkNames(process.env), ...service.checks];
  // Without the keys, the keys of the database cannot be checked.
  if (service.settings === null) return [...first, ...(await others())];
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: 2,
    pooler: settings.DATABASE_POOLER,
    applicationName: 'card-payments-admin',
  });
  try {
    const keyring = createKeyring(service.settings.ENCRYPTION_KEYS, service.settings.LOOKUP_KEYS);
    return [...first, ...(await checkDatabase({ database, keyring, settings }, flags)), ...(await others())];
  } finally {
    await database.end();
  }
}

/** Returns the settings with their keys (null if the key service fails), and the check of that service. */
async function checkKeyService(settings: Settings): Promise<{ settings: Settings | null; checks: Check[] }> {
  const checkOfIt = (fix: string | null): Check[] =>
    settings.KEY_ENCRYPTION === 'local' ? [] : [checkOf('key service', fix)];
  try {
    return { settings: await withKeys(settings), checks: checkOfIt(null) };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { settings: null, checks: [checkOf('key service', error.message)] };
  }
}
