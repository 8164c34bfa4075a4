import { execFile } from 'node:child_process';
import { copyFile, readFile, rename } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv, type ValidateFunction } from 'ajv';
import { cacheDir } from '../../local-stack/cache-dir.ts';
import { findGo } from '../../local-stack/go-install.ts';
import { withLock } from '../../scripts/lib/lock.mjs';

/** The Go module that carries Stripe's published OpenAPI description. */
const MODULE = 'github.com/stripe/stripe-mock@v0.203.0';
const DOWNLOAD_MS = 10 * 60_000;

/**
 * `describe` when Go can download Stripe's description, else `describe.skip`; in CI the tests run, and fail,
 * without Go.
 */
export const describeWithGo =
  findGo() !== undefined || process.env['CI'] === 'true' ? describe : describe.skip;
if (describeWithGo !== describe) {
  process.stderr.write(`Go is missing: answers are not held against Stripe's OpenAPI description.\n`);
}

type Json = Record<string, unknown>;

/** An answer to check against the description. `path` is the request's path without its query. */
export interface StripeAnswer {
  method: string;
  path: string;
  status: number;
  body: unknown;
}

/** Stripe's published description of its API, to check answers. */
export class StripeOpenApi {
  readonly #paths: Record<string, Record<string, Json>>;
  readonly #schemas: Record<string, Json>;
  readonly #ajv: Ajv;
  readonly #checks = new Map<string, ValidateFunction>();

  private constructor(description: Json) {
    this.#paths = description['paths'] as Record<string, Record<string, Json>>;
    this.#schemas = (description['components'] as { schemas: Record<string, Json> }).schemas;
    this.#ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false, inlineRefs: false });
    this.#ajv.addSchema({
      $id: 'stripe',
      components: {
        schemas: Object.fromEntries(
          Object.entries(this.#schemas).map(([name, schema]) => [name, toJsonSchema(schema)]),
        ),
      },
    });
  }

  static async load(): Promise<StripeOpenApi> {
    return new StripeOpenApi(JSON.parse(await readFile(await descriptionFile(), 'utf8')) as Json);
  }

  /** Returns the problems of an object of the named schema; empty when there are none. */
  problemsOf(schema: string, object: unknown): string[] {
    return this.#check(`schema ${schema}`, { $ref: `stripe#/components/schemas/${schema}` }, object);
  }

  /** Returns the problems of an answer. A member that the description does not have is one. */
  problems({ method, path, status, body }: StripeAnswer): string[] {
    const template = Object.keys(this.#paths).find((known) => pattern(known).test(path));
    const operation = template === undefined ? undefined : this.#paths[template]?.[method.toLowerCase()];
    if (!operation) return [`${method} ${path} is not in the description`];
    const responses = operation['responses'] as Record<string, { content?: Json }>;
    const response = responses[String(status)] ?? responses['default'];
    const content = response?.content?.['application/json'] as { schema: Json } | undefined;
    if (!content) return [`${method} ${path} has no answer ${status}`];
    const kind = responses[String(status)] ? String(status) : 'default';
    return this.#check(`${method} ${template} ${kind}`, toJsonSchema(content.schema) as Json, body);
  }

  #check(name: string, schema: Json, value: unknown): string[] {
    const check = this.#checks.get(name) ?? this.#ajv.compile(schema);
    this.#checks.set(name, check);
    if (check(value)) return [];
    return (check.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${name}: ${instancePath || '/'} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  }
}

const pattern = (template: string): RegExp => new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);

/**
 * Returns an OpenAPI 3.0 schema as JSON Schema. `nullable` becomes a type, and an object accepts only its own
 * members, so that a misspelled one is found.
 */
function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...rest } = schema as Json;
  const own: Json = {};
  for (const [name, value] of Object.entries(rest)) {
    if (name === '$ref') own[name] = `stripe${String(value)}`;
    else if (name === 'properties') own[name] = mapped(value as Json);
    else if (!name.startsWith('x-') && name !== 'description' && name !== 'title') {
      own[name] = toJsonSchema(value);
    }
  }
  if (own['properties'] !== undefined && own['additionalProperties'] === undefined) {
    own['additionalProperties'] = false;
  }
  return nullable === true ? { anyOf: [{ type: 'null' }, own] } : own;
}

const mapped = (properties: Json): Json =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, toJsonSchema(value)]));

/** Returns the path of the description in the cache. `go mod download` downloads it when it is missing. */
async function descriptionFile(): Promise<string> {
  const target = join(cacheDir('stripe'), `openapi-${MODULE.split('@')[1]}.json`);
  if (existsSync(target)) return target;
  await withLock(`${target}.lock`, { timeoutMs: DOWNLOAD_MS, onWait: () => undefined }, async () => {
    if (existsSync(target)) return;
    const go = findGo();
    if (go === undefined) throw new Error(`Go is needed to get Stripe's OpenAPI description (${MODULE}).`);
    const { stdout } = await promisify(execFile)(go, ['mod', 'download', '-json', MODULE], {
      cwd: tmpdir(),
      env: { ...process.env, GOFLAGS: '' },
      timeout: DOWNLOAD_MS,
    });
    const { Dir } = JSON.parse(stdout) as { Dir: string };
    await copyFile(join(Dir, 'embedded/openapi/spec3.json'), `${target}.new`);
    await rename(`${target}.new`, target);
  });
  return target;
}
