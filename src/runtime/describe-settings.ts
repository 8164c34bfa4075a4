import { z } from 'zod';
import { secretSettings } from './secret-files.ts';
import { settingsSchema } from './settings-schema.ts';

/**
 * Returns `docs/configuration.md` from the schema: the settings that the service reads from its environment.
 */
export function describeSettings(): string {
  const rows = Object.entries(settingsSchema.shape).map(([name, schema]) => {
    // A transformed setting has its default before the transformation.
    const { defaultValue } = (schema instanceof z.ZodPipe ? schema.in : schema).def as {
      defaultValue?: unknown;
    };
    return `| \`${name}\` | ${shownDefault(name, schema, defaultValue)} | ${schema.description ?? ''} |`;
  });
  return `# Configuration

Every setting is an environment variable; an empty one counts as unset. A wrong one is named in one line and the process
does not start. With \`DEPLOYMENT=production\` a setting marked "Development only" must keep its default, secrets must not,
addresses must be HTTPS, and the database local or behind verified TLS ([how](operations.md#tls-to-postgresql)).
Every secret can also be given as the path of a file: \`ENCRYPTION_KEYS_FILE=/run/secrets/encryption-keys\` in place of \`ENCRYPTION_KEYS\`, and
likewise ${secretSettings.map((name) => `\`${name}\``).join(', ')}. A file that is missing, unreadable or empty is named in one line. It is read at
the start of the process.

\`TEMPORAL_*\` variables and profiles of the Temporal command line (TLS, API key) apply too.

This page is generated from \`src/runtime/settings-schema.ts\`: \`npm run --silent docs:configuration > docs/configuration.md\`.

| setting | default | meaning |
|---|---|---|
${rows.join('\n')}
`;
}

function shownDefault(name: string, schema: z.ZodType, value: unknown): string {
  if (/KEY|SECRET/.test(name) && value !== undefined) return 'a well-known development value';
  if (value === undefined) return schema.safeParse(undefined).success ? 'unset' : '**required**';
  if (value === '') return 'empty';
  return `\`${Array.isArray(value) ? value.join(',') : JSON.stringify(value).replaceAll('"', '')}\``;
}
