import { readSettings, SettingsError } from '../runtime/settings.ts';
import { migrate } from '../db/migrate.ts';

/** Applies the migrations a database lacks. Exit 0, or one line on stderr and exit 1. */
try {
  const applied = await migrate(readSettings(process.env).DATABASE_URL, {
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`${applied.length} migrations applied\n`);
} catch (error) {
  const detail = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown error';
  process.stderr.write(
    error instanceof SettingsError ? `${detail}\n` : `cannot migrate DATABASE_URL: ${detail}\n`,
  );
  process.exitCode = 1;
}
