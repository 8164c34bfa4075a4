import { z } from 'zod';
import { developmentEncryptionKeys } from '../crypto/keyring.ts';
import { keyEncryptionShape } from './key-encryption-settings.ts';
import { oidcShape } from './oidc-settings.ts';
import { isNetwork, port, url } from './setting-types.ts';
import { providerShape } from './provider-settings.ts';
import { retentionShape } from './retention-settings.ts';

const seconds = (fallback: number, what: string) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(7 * 86400)
    .default(fallback)
    .describe(what);

/**
 * Every setting of the service, read from the environment. docs/configuration.md is generated from this
 * schema.
 */
export const settingsSchema = z.object({
  DEPLOYMENT: z
    .enum(['development', 'production'])
    .default('development')
    .describe(
      '`production` refuses development keys, addresses without HTTPS and settings for development only.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level of the log lines that are written. No level logs bodies, secrets or URLs.'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .describe(
      "Connection string of the service's own database, PostgreSQL 14 or later. In production: " +
        'a unix socket, a loopback address, or verified TLS (`sslmode=verify-full`).',
    ),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Connections of each pool. A worker has one pool, an API two: for reads, and for all else.'),
  DATABASE_LIST_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(4)
    .describe(
      'Further connections of an API, for lists only, so that slow lists do not block other requests.',
    ),
  DATABASE_API_PASSWORD: z
    .string()
    .min(16)
    .optional()
    .describe('Password of the role `card_payments_api`. Read only by the migrate command, which sets it.'),
  DATABASE_WORKER_PASSWORD: z
    .string()
    .min(16)
    .optional()
    .describe(
      'Password of the role `card_payments_worker`. Read only by the migrate command, which sets it.',
    ),
  DATABASE_POOLER: z
    .enum(['none', 'transaction'])
    .default('none')
    .describe(
      '`transaction` if a pooler before PostgreSQL lends connections for one ' +
        'transaction each. docs/operations.md, "A pooler before PostgreSQL".',
    ),
  ENCRYPTION_KEYS: z
    .string()
    .default(developmentEncryptionKeys)
    .describe(
      'Keys that encrypt stored values, separated by commas: each `id:base64` ' +
        'of 32 random bytes. The first key encrypts, all decrypt. With ' +
        'KEY_ENCRYPTION: `id:` and the wrapped key. docs/security.md, "Keys".',
    ),
  LOOKUP_KEYS: z
    .string()
    .optional()
    .describe(
      'Keys of the hashes by which API keys and links are found: `id:base64` of ' +
        '32 random bytes, or `derived:<id>` of an encryption key. The first key ' +
        'hashes, all are tried. Unset: `derived:` of the last of ENCRYPTION_KEYS.',
    ),
  ...keyEncryptionShape,
  PUBLIC_URL: url
    .default('http://127.0.0.1:3000')
    .describe("Base URL of the checkout pages and of the customer's steps, without a trailing slash."),
  DASHBOARD_URL: url
    .optional()
    .describe(
      'Base URL of the dashboard, without a trailing slash. Unset: ' +
        'PUBLIC_URL, with `localhost` in place of `127.0.0.1`.',
    ),
  ...oidcShape,
  API_HOST: z.string().default('127.0.0.1').describe('Address on which the API listens.'),
  API_PORT: port.default(3000).describe('Port on which the API listens.'),
  API_MAX_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(10)
    .max(100_000)
    .default(4_000)
    .describe('Connections that the API keeps open at once. Further ones are closed when they arrive.'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text, context) => {
      const proxies = text.split(',').map((entry) => entry.trim());
      const wrong = proxies.find((entry) => entry !== '' && !isNetwork(entry));
      if (wrong !== undefined)
        context.addIssue(`must be addresses or networks such as 10.0.0.0/8, not "${wrong}"`);
      return proxies.filter((entry) => entry !== '');
    })
    .describe(
      'Addresses and networks (`10.1.2.3,10.0.0.0/8`) of your proxies before the API. Only their ' +
        "`X-Forwarded-For` is used. Unset: all callers behind a proxy have the proxy's address.",
    ),
  PRIVATE_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address on which the private port of an API or worker listens.'),
  PRIVATE_PORT: port
    .default(0)
    .describe('Port of `/healthz`, `/readyz`, `/metrics` and the codec endpoint of an API. 0: a free port.'),
  WORKER_PORT: port
    .optional()
    .describe(
      'Port of `/healthz`, `/readyz` and `/metrics` of a ' +
        'worker, at PRIVATE_HOST. 0: a free port. Unset: none.',
    ),
  DRAIN_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60)
    .default(5)
    .describe(
      'How long an API serves requests after SIGTERM while its `/readyz` ' +
        'returns 503, so that proxies stop sending to it. SIGINT skips this wait.',
    ),
  CODEC_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe(
      'Token of the codec endpoint, by which the Temporal UI decrypts ' +
        'payloads. Unset: the endpoint works in development only.',
    ),
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233').describe("Address of Temporal's frontend."),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Temporal namespace.'),
  TEMPORAL_UI_URL: url
    .optional()
    .describe(
      'Address of the Temporal UI: the only origin that may use the codec ' +
        'endpoint, and the base of links that the operator command prints.',
    ),
  TASK_QUEUE_PREFIX: z
    .string()
    .default('')
    .describe('Prefix of the task queues, for several installations in one namespace.'),
  WORKER_ROLES: z
    .string()
    .default('payments,provider,webhooks')
    .transform((text, context) => {
      const roles = text.split(',').map((role) => role.trim());
      const known = ['payments', 'provider', 'webhooks'] as const;
      const unknown = roles.find((role) => !(known as readonly string[]).includes(role));
      if (unknown !== undefined) context.addIssue(`unknown role "${unknown}"; known: ${known.join(', ')}`);
      return known.filter((role) => roles.includes(role));
    })
    .describe('Task queues that this worker process serves.'),
  WORKER_BUILD_ID: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      'must be up to 64 letters, digits, dots, dashes and underscores',
    )
    .optional()
    .describe(
      "Name of this build in Temporal's deployment `card-payments`. " +
        'Unset: a hash of the workflow bundle. docs/operations.md, "Builds".',
    ),
  WORKER_VERSIONING: z
    .enum(['on', 'off'])
    .optional()
    .describe(
      '`on`: a payment ends on the build on which it began, and a new build ' +
        'gets work when you promote it. `off`: a worker accepts all work of ' +
        'its queues. Unset: `on` if WORKER_BUILD_ID is set, else `off`.',
    ),
  WORKFLOW_CACHE_SIZE: z.coerce
    .number()
    .int()
    // With fewer than the worker's polls for tasks of known workflows, none would remain for new workflows.
    .min(200)
    .max(100_000)
    .default(1_000)
    .describe('Workflows that a worker process keeps in memory. docs/scaling.md, "Memory".'),
  WORKFLOW_POLLS: z.coerce
    .number()
    .int()
    .min(2)
    .max(100)
    .default(10)
    .describe(
      'Polls for workflow tasks that a worker process keeps open for each queue. docs/performance.md.',
    ),
  STATUS_SOURCE: z
    .enum(['workflow', 'projection'])
    .default('projection')
    .describe(
      '`projection`: status and checkout are read from the database. `workflow`: while ' +
        'a checkout is open, its workflow is queried too, and the newer answer is used.',
    ),
  ...providerShape,
  CHECKOUT_DEADLINE_SECONDS: seconds(
    1800,
    'Time from the creation of a payment to the deadline of its checkout. Development only.',
  ),
  CAPTURE_WINDOW_SECONDS: seconds(
    600,
    'Time from the creation of a payment to the end of card capture. Development only.',
  ),
  IDEMPOTENCY_RETENTION_SECONDS: seconds(86400, 'How long an Idempotency-Key is kept. Development only.'),
  REFUND_DELAY_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(7 * 86400)
    .default(2)
    .describe('How long a new refund can be canceled before it is sent to the network.'),
  SWEEP_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3600)
    .default(5)
    .describe('Pause between two searches for work that a crash interrupted. docs/reliability.md, "Sweeps".'),
  PAGE_WATCH_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe(
      'Pause between two checks of the payment page: the leading worker reads ' +
        'an open page and its frames, and compares their scripts with this ' +
        'build. 0: never. Unset: 3600 in production, never in development.',
    ),
  RECONCILE_AT: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day in UTC such as 03:00')
    .default('03:00')
    .describe('Time of the nightly comparison with the providers, in UTC.'),
  ...retentionShape,
  WEBHOOK_RETRY_SCHEDULE_SECONDS: z
    .string()
    .regex(/^\d+(,\d+)*$/, 'must be a comma-separated list of seconds')
    .default('0,5,300,1800,7200,18000,36000,50400,72000,86400')
    .describe('Delays before each try of a webhook delivery. Development only.'),
  AUDIT_SINK: z
    .string()
    .regex(
      /^(file:\/\/\/[^?#]+|https:\/\/[^@]+|http:\/\/127\.0\.0\.1[:/][^@]*)$/,
      'must be file:///path or https://address without a password',
    )
    .optional()
    .describe(
      'Where the leading worker copies each audit entry as a line of JSON: ' +
        '`file:///path`, or `https://…` (POST). Unset: nowhere. docs/dashboard.md.',
    ),
  AUDIT_SINK_TOKEN: z.string().min(16).optional().describe('Bearer token for AUDIT_SINK.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url
    .optional()
    .describe('OTLP collector that gets the traces, such as `http://127.0.0.1:4318`. Unset: no traces.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/json', 'http/protobuf'])
    .default('http/protobuf')
    .describe('Format of the traces.'),
  RATE_LIMITS: z
    .string()
    .default('')
    .describe('`off`, or other limits such as `sandbox.all=50,payment.act=30`. Development only.'),
});

export type Settings = z.infer<typeof settingsSchema>;
