import { isIP } from 'node:net';
import { z } from 'zod';
import { developmentEncryptionKeys } from '../crypto/keyring.ts';
import { keyEncryptionShape } from './key-encryption-settings.ts';
import { port, url } from './setting-types.ts';
import { providerShape } from './provider-settings.ts';
import { retentionShape } from './retention-settings.ts';

/** Returns whether a text is an IP address, or a network that does not cover all addresses. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  const width = version === 4 ? 32 : 128;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= width);
}

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
    .describe('`production` permits HTTPS URLs only and refuses every shortened window and development key.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Verbosity of the JSON logs. No level logs bodies, secrets or URLs.'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .describe(
      'PostgreSQL 14 or later, the database of the service; in production on a unix socket, a loopback address, or ' +
        'with verified TLS (`sslmode=verify-full`).',
    ),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Connections of each pool: a worker has one, an API process two, for reads and for all else.'),
  DATABASE_LIST_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(4)
    .describe(
      'Connections of an API process for lists alone, so that slow lists do not block other requests.',
    ),
  DATABASE_API_PASSWORD: z
    .string()
    .min(16)
    .optional()
    .describe('Read by the migrate command alone: lets the role card_payments_api log in with it.'),
  DATABASE_WORKER_PASSWORD: z
    .string()
    .min(16)
    .optional()
    .describe('Read by the migrate command alone: lets the role card_payments_worker log in with it.'),
  DATABASE_POOLER: z
    .enum(['none', 'transaction'])
    .default('none')
    .describe(
      '`transaction` behind a pooler that lends connections for one transaction: nothing is kept on a connection.',
    ),
  ENCRYPTION_KEYS: z
    .string()
    .default(developmentEncryptionKeys)
    .describe(
      '`id:base64` of 32 random bytes, comma-separated; the first seals, all open. Default: development only. With ' +
        'KEY_ENCRYPTION: `id:` and the wrapped key.',
    ),
  LOOKUP_KEYS: z
    .string()
    .optional()
    .describe(
      'Keys that hashes of API keys and links derive from: `id:base64` of 32 random bytes or `derived:<id>` of an ' +
        'encryption key; the first hashes, all find. Unset: `derived:` of the last of ENCRYPTION_KEYS.',
    ),
  ...keyEncryptionShape,
  PUBLIC_URL: url
    .default('http://127.0.0.1:3000')
    .describe('Base URL of checkout and action pages, no trailing slash.'),
  DASHBOARD_URL: url
    .optional()
    .describe('Base URL of the dashboard, no trailing slash; unset: PUBLIC_URL, 127.0.0.1 as localhost.'),
  OIDC_ISSUER: url
    .optional()
    .describe(
      'Identity provider by which members may sign in to the dashboard (OpenID Connect); unset: none. ' +
        'docs/dashboard.md.',
    ),
  OIDC_CLIENT_ID: z.string().min(1).optional().describe('Name of this service at the identity provider.'),
  OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('Credential of this service there.'),
  OIDC_NAME: z
    .string()
    .min(1)
    .max(40)
    .default('your identity provider')
    .describe('What the sign-in button calls the identity provider.'),
  API_HOST: z.string().default('127.0.0.1').describe('Address the API listens on.'),
  API_PORT: port.default(3000).describe('Port the API listens on.'),
  API_MAX_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(10)
    .max(100_000)
    .default(4_000)
    .describe('Connections the API holds open at once; more are dropped as they come.'),
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
      'Addresses and networks (`10.1.2.3,10.0.0.0/8`) of the proxies before the API, whose `X-Forwarded-For` is ' +
        'trusted. Unset: none, and every client behind a proxy has its address.',
    ),
  PRIVATE_HOST: z.string().default('127.0.0.1').describe('Address of the private port.'),
  PRIVATE_PORT: port
    .default(0)
    .describe('Port of /metrics, /readyz and the codec endpoint; 0 takes a free one.'),
  WORKER_PORT: port
    .optional()
    .describe(
      'Port of /healthz, /readyz and /metrics of a worker process, at PRIVATE_HOST; 0 takes a free one. Unset: none.',
    ),
  DRAIN_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60)
    .default(5)
    .describe(
      'How long an API process that gets SIGTERM still serves while its /readyz is 503, so that proxies stop ' +
        'sending to it before it stops listening. SIGINT skips it.',
    ),
  CODEC_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Bearer token of the codec endpoint. Unset: the endpoint answers in development only.'),
  TEMPORAL_ADDRESS: z
    .string()
    .default('127.0.0.1:7233')
    .describe('Temporal frontend; other TEMPORAL_* variables apply.'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Temporal namespace.'),
  TEMPORAL_UI_URL: url.optional().describe('Used for links in the operator command.'),
  TASK_QUEUE_PREFIX: z.string().default('').describe('Prefix of the task queues, to share one namespace.'),
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
    .describe('Which queues this worker process serves.'),
  WORKER_BUILD_ID: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      'must be up to 64 letters, digits, dots, dashes and underscores',
    )
    .optional()
    .describe(
      'Name of the build in the Temporal deployment card-payments; docs/operations.md, "Builds". Unset: a hash of the ' +
        'workflow bundle.',
    ),
  WORKER_VERSIONING: z
    .enum(['on', 'off'])
    .optional()
    .describe(
      '`on`: payments end on the build on which they began, and a new build gets work when it is promoted. `off`: a worker ' +
        'takes every run of its queues. Unset: `on` where WORKER_BUILD_ID is set, else `off`.',
    ),
  WORKFLOW_CACHE_SIZE: z.coerce
    .number()
    .int()
    // With fewer than the worker's polls for tasks of known workflows, none would remain for new workflows.
    .min(200)
    .max(100_000)
    .default(1_000)
    .describe('Workflows that a worker process keeps in memory; docs/scaling.md.'),
  WORKFLOW_POLLS: z.coerce
    .number()
    .int()
    .min(2)
    .max(100)
    .default(10)
    .describe('Polls for workflow tasks that a worker process keeps open per queue; docs/performance.md.'),
  STATUS_SOURCE: z
    .enum(['workflow', 'projection'])
    .default('projection')
    .describe(
      'What status and checkout reads show while a checkout is open. `projection`: the rows; ' +
        '`workflow`: the newer of workflow and rows.',
    ),
  ...providerShape,
  CHECKOUT_DEADLINE_SECONDS: seconds(1800, 'Checkout deadline after creation. Development only.'),
  CAPTURE_WINDOW_SECONDS: seconds(600, 'End of capture access after creation. Development only.'),
  IDEMPOTENCY_RETENTION_SECONDS: seconds(86400, 'How long an Idempotency-Key is kept. Development only.'),
  REFUND_DELAY_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(7 * 86400)
    .default(2)
    .describe('How long a new refund may be canceled before it is submitted to the network.'),
  SWEEP_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3600)
    .default(5)
    .describe('How often the leading worker searches for payments that a crash left without a workflow.'),
  PAGE_WATCH_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe(
      'How often the leading worker reads one open payment page from PUBLIC_URL, and the frames of cards and wallets, ' +
        'and compares their scripts; 0: never. Unset: 3600 in production, never in development.',
    ),
  RECONCILE_AT: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day in UTC such as 03:00')
    .default('03:00')
    .describe('When providers’ lists are compared with the rows each night, in UTC.'),
  ...retentionShape,
  WEBHOOK_RETRY_SCHEDULE_SECONDS: z
    .string()
    .regex(/^\d+(,\d+)*$/, 'must be a comma-separated list of seconds')
    .default('0,5,300,1800,7200,18000,36000,50400,72000,86400')
    .describe('Delays before each delivery try. Development only.'),
  AUDIT_SINK: z
    .string()
    .regex(
      /^(file:\/\/\/[^?#]+|https:\/\/[^@]+|http:\/\/127\.0\.0\.1[:/][^@]*)$/,
      'must be file:///path or https://address without a password',
    )
    .optional()
    .describe(
      'Where the leading worker copies each audit entry as a line of JSON: `file:///path` or `https://…` (POST). Unset: ' +
        'nowhere. docs/dashboard.md.',
    ),
  AUDIT_SINK_TOKEN: z.string().min(16).optional().describe('Bearer token at AUDIT_SINK.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url
    .optional()
    .describe(
      'An OTLP collector, such as `http://127.0.0.1:4318`, that traces are sent to; unset: no traces.',
    ),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/json', 'http/protobuf'])
    .default('http/protobuf')
    .describe('How traces are sent.'),
  RATE_LIMITS: z
    .string()
    .default('')
    .describe('`off`, or overrides such as `sandbox.all=50,payment.act=30`. Development only.'),
});

export type Settings = z.infer<typeof settingsSchema>;
