import { z } from 'zod';
import { secretSettings } from './secret-files.ts';
import { type Settings, settingsSchema } from './settings-schema.ts';

const tableHead = '| setting | default | meaning |\n|---|---|---|\n';

/** The sections of the page, each with the setting with which it begins, in the order of the schema. */
const sections: readonly (readonly [title: string, first: keyof Settings])[] = [
  ['Deployment and logs', 'DEPLOYMENT'],
  ['Database', 'DATABASE_URL'],
  ['Encryption keys', 'ENCRYPTION_KEYS'],
  ['Public addresses', 'PUBLIC_URL'],
  ['Identity provider of the dashboard', 'OIDC_ISSUER'],
  ['Ports and proxies', 'API_HOST'],
  ['Temporal and workers', 'TEMPORAL_ADDRESS'],
  ['Vaults, networks and card fields', 'VAULT_URL'],
  ['Times and sweeps', 'CHECKOUT_DEADLINE_SECONDS'],
  ['Retention', 'RETENTION_EVENTS_DAYS'],
  ['Webhooks, audit copies, traces and limits', 'WEBHOOK_RETRY_SCHEDULE_SECONDS'],
];

/**
 * Returns `docs/configuration.md` from the schema: the settings that the service reads from its environment.
 */
export function describeSettings(): string {
  const titles = new Map<string, string>(sections.map(([title, first]) => [first, title]));
  const rows = Object.entries(settingsSchema.shape).map(([name, schema]) => {
    // A transformed setting has its default before the transformation.
    const { defaultValue } = (schema instanceof z.ZodPipe ? schema.in : schema).def as {
      defaultValue?: unknown;
    };
    const title = titles.get(name);
    const heading = title === undefined ? '' : `\n## ${title}\n\n${tableHead}`;
    const cells = [`\`${name}\``, shownDefault(name, schema, defaultValue), schema.description ?? ''];
    return `${heading}| ${cells.join(' | ')} |`;
  });
  const secrets = secretSettings.map((name) => `\`${name}\``).join(', ');
  return `# Configuration

Every setting is an environment variable. An empty variable counts as unset. A process with a wrong setting
does not start, and names the setting in one line.

- **Production** (\`DEPLOYMENT=production\`) needs at least \`DATABASE_URL\`, \`ENCRYPTION_KEYS\`,
  \`PUBLIC_URL\`, \`VAULT_URL\`, \`VAULT_SERVICE_KEY\`, \`NETWORK_URL\`, \`NETWORK_SERVICE_KEY\`,
  \`NETWORK_CALLBACK_SECRET\`, and TLS with credentials to Temporal. Addresses must be HTTPS, and the
  database local or behind verified TLS ([how](operations.md#tls-to-postgresql)). A setting marked
  "Development only" must keep its default.
- **Secrets as files.** A secret can be given as the path of a file, by its name with \`_FILE\`:
  \`ENCRYPTION_KEYS_FILE=/run/secrets/encryption-keys\`. The process reads the file at its start. Secrets are
  ${secrets}.
- **Temporal.** The \`TEMPORAL_*\` variables and profiles of the Temporal command line (TLS, API key) apply
  too.

This page is generated from \`src/runtime/settings-schema.ts\`:
\`npm run --silent docs:configuration > docs/configuration.md\`.
${rows.join('\n')}
`;
}

function shownDefault(name: string, schema: z.ZodType, value: unknown): string {
  if (secretSettings.includes(name) && value !== undefined) return 'a public value, for development only';
  if (value === undefined) return schema.safeParse(undefined).success ? 'unset' : '**required**';
  if (value === '') return 'empty';
  return `\`${Array.isArray(value) ? value.join(',') : JSON.stringify(value).replaceAll('"', '')}\``;
}
