import { readSettings, SettingsError } from '../runtime/settings.ts';
import { grantPrivileges } from '../db/server/grant-privileges.ts';
import { openDatabase } from '../db/server/database.ts';
import { migrate } from '../db/server/migrate.ts';
import { makePartitions } from '../db/server/partitions.ts';

/**
 * Applies the migrations that a database lacks, and grants the processes' roles their privileges. Exits 0, or
 * 1 with one line on stderr.
 */
try {
  const settings = readSettings(process.env);
  const applied = await migrate(settings.DATABASE_URL, {
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`${applied.length} migrations applied\n`);
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: 1,
    applicationName: 'card-payments-migrate',
  });
  try {
    await makePartitions(database);
  } finally {
    await database.end();
  }
  const undone = await grantPrivileges(settings.DATABASE_URL, {
    ...(settings.DATABASE_API_PASSWORD && { api: settings.DATABASE_API_PASSWORD }),
    ...(settings.DATABASE_WORKER_PASSWORD && { worker: settings.DATABASE_WORKER_PASSWORD }),
  });
  process.stdout.write(`${undone ?? 'the roles of the processes have their privileges'}\n`);
} catch (error) {
  const detail = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown error';
  process.stderr.write(
    error instanceof SettingsError ? `${detail}\n` : `cannot migrate DATABASE_URL: ${detail}\n`,
  );
  process.exitCode = 1;
}
