import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { storablePattern } from '../../domain/text.ts';
import { enumNameOf } from './enum-names.ts';
import { type Json, type JsonObject, isObject, mapObjects, nameIn, textOf } from './json.ts';
import { textNameOf } from './text-names.ts';

/** The part of a request or an answer that a schema describes. */
export type Direction = 'body' | 'parameter' | 'answer';

const prefix = '#/components/schemas/';

export const schemaRef = (name: string): JsonObject => ({ $ref: `${prefix}${name}` });

/**
 * The named schemas of the document. Every requested schema is converted from zod; its named parts and its
 * enumerations become components.
 */
export class Components {
  readonly schemas: JsonObject = {};

  /** Returns a zod schema as JSON Schema, or a reference if it has a name. */
  schemaOf(schema: z.ZodType, direction: Direction): JsonObject {
    const { $schema: _dialect, ...converted } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io: direction === 'answer' ? 'output' : 'input',
      unrepresentable: 'any',
    }) as JsonObject;
    const { $defs = {}, ...root } = this.#tidy(converted, direction) as JsonObject & { $defs?: JsonObject };
    for (const [name, part] of Object.entries($defs)) {
      if (isObject(part)) this.schemas[name] = withDiscriminator(withoutId(part), $defs);
    }
    if (typeof root['id'] !== 'string') return root;
    return this.name(root['id'], withDiscriminator(withoutId(root), this.schemas));
  }

  /** Returns the schema of a body; a schema without a name is named after its operation. */
  bodyOf(schema: z.ZodType, operationId: string): JsonObject {
    const body = this.schemaOf(schema, 'body');
    return typeof body['$ref'] === 'string' ? body : this.name(capitalized(operationId), body);
  }

  /** Returns the schema of an answer, named after its content. */
  answerOf(schema: z.ZodType): JsonObject {
    return this.#nameAnswer(this.schemaOf(schema, 'answer'));
  }

  /** Makes a schema a component. Returns the reference to it. */
  name(name: string, schema: JsonObject): JsonObject {
    this.schemas[name] = schema;
    return schemaRef(name);
  }

  #nameAnswer(answer: JsonObject): JsonObject {
    const { anyOf, properties } = answer;
    if (Array.isArray(anyOf)) {
      const kinds = anyOf.filter(isObject).map((kind) => this.#nameAnswer(kind));
      const [first = ''] = kinds.map(({ $ref }) => nameIn($ref));
      return this.name(first.replace(/(Cursor)?Page$/, 'List'), { anyOf: kinds });
    }
    const { data, meta } = (properties ?? {}) as { data?: JsonObject; meta?: JsonObject };
    const { $ref, items } = data ?? {};
    if (typeof $ref === 'string') return this.name(`${nameIn($ref)}Response`, answer);
    const item = isObject(items) ? nameIn(items['$ref']) : '';
    const kind = nameIn(meta?.['$ref']) === 'CursorMeta' ? 'CursorPage' : 'Page';
    return this.name(`${item}${kind}`, answer);
  }

  /**
   * Rewrites references to those of the document, replaces known enumerations and texts by names, and
   * shortens the rest.
   */
  #tidy(schema: Json, direction: Direction): JsonObject {
    return mapObjects(schema, (object) => {
      const { $ref, enum: words, type: _type, ...rest } = object;
      if (typeof $ref === 'string') return { ...object, $ref: $ref.replace('#/$defs/', prefix) };
      const text = textNameOf(textOf(object['pattern']));
      if (text !== undefined) return this.#named(text, object);
      const name = Array.isArray(words) ? enumNameOf(words) : undefined;
      if (name === undefined || !Array.isArray(words)) {
        const short = shortened(object, direction);
        const instant = instantNameOf(textOf(short['pattern']));
        return instant === undefined ? short : this.#named(instant, short);
      }
      this.schemas[name] ??= { type: 'string', enum: words };
      return { ...shortened(rest, direction), ...schemaRef(name) };
    }) as JsonObject;
  }

  /**
   * Returns a reference to a named text, with the field's own description. A text with other bounds is
   * returned whole.
   */
  #named(name: string, { description, ...text }: JsonObject): JsonObject {
    const ownDescription: JsonObject = description === undefined ? {} : { description };
    const known = (this.schemas[name] ??= text);
    return isDeepStrictEqual(known, text)
      ? { ...ownDescription, ...schemaRef(name) }
      : { ...text, ...ownDescription };
  }
}

/**
 * Returns the schema without what readers do not need: bounds that every safe integer has, and what the
 * format implies. A body's default becomes part of the description, because generators would make the field
 * required. Answers may get further fields, so they are not closed; their URLs and numbers have the bounds of
 * requests.
 */
function shortened(object: JsonObject, direction: Direction): JsonObject {
  const short = { ...object };
  if (short['minimum'] === Number.MIN_SAFE_INTEGER) delete short['minimum'];
  if (short['maximum'] === Number.MAX_SAFE_INTEGER) delete short['maximum'];
  if (direction === 'answer') {
    if (short['format'] !== undefined || short['pattern'] === storablePattern.source) delete short['pattern'];
    if (short['format'] === 'date-time' || short['format'] === 'uuid') delete short['examples'];
    if (short['format'] === 'uri') delete short['maxLength'];
    delete short['minimum'];
    delete short['maximum'];
    if (short['additionalProperties'] === false) delete short['additionalProperties'];
    if (short['minLength'] === 0 || short['minLength'] === 1) delete short['minLength'];
    return withNullAsType(short);
  }
  if (short['format'] === 'date' || short['format'] === 'uuid') delete short['pattern'];
  if (short['format'] === 'date-time') short['pattern'] = instantPattern(textOf(short['pattern']));
  if (direction === 'body' && short['default'] !== undefined) {
    const { default: value, description } = short;
    const words = `Default: \`${typeof value === 'string' ? value : JSON.stringify(value)}\`.`;
    delete short['default'];
    short['description'] = typeof description === 'string' ? `${description} ${words}` : words;
  }
  return short;
}

/** Writes "a plain value or null" as one schema with two types. */
function withNullAsType(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  const [value, none, ...others] = Array.isArray(anyOf) ? anyOf : [];
  if (!isObject(value) || !isObject(none) || none['type'] !== 'null' || others.length > 0) return schema;
  return typeof value['type'] === 'string' && value['type'] !== 'object'
    ? { ...value, ...rest, type: [value['type'], 'null'] }
    : schema;
}

const hourPattern = '([01]\\d|2[0-3])';
const instantUntilOffset = `^\\d{4}-\\d\\d-\\d\\dT${hourPattern}(:[0-5]\\d){2}(\\.\\d+)?`;
const utcInstant = `${instantUntilOffset}Z$`;
const instantWithOffset = `${instantUntilOffset}(Z|[+-]${hourPattern}:[0-5]\\d)$`;

/**
 * Returns a short pattern for an instant: the format already covers the calendar. It allows an offset if the
 * parser's pattern allows one.
 */
const instantPattern = (parsed: string): string => (parsed.includes('[+-]') ? instantWithOffset : utcInstant);

/** Returns the name of the instants of a pattern; undefined where it is another text's. */
function instantNameOf(pattern: string): string | undefined {
  if (pattern === instantWithOffset) return 'Instant';
  return pattern === utcInstant ? 'UtcInstant' : undefined;
}

/** Adds a discriminator where one field has a different constant in each shape of a schema. */
function withDiscriminator(schema: JsonObject, schemas: JsonObject): JsonObject {
  const { oneOf } = schema;
  if (!Array.isArray(oneOf)) return schema;
  const references = oneOf.filter(isObject).map(({ $ref }) => textOf($ref));
  const constants = references.map((reference) => constantsOf(schemas[nameIn(reference)]));
  const deciding = Object.keys(constants[0] ?? {}).find(
    (field) => new Set(constants.map((each) => each[field])).size === references.length,
  );
  if (deciding === undefined) return schema;
  const mapping = Object.fromEntries(
    references.map((reference, index) => [textOf(constants[index]?.[deciding]), reference]),
  );
  return { ...schema, discriminator: { propertyName: deciding, mapping } };
}

/** Returns the fields of a shape that have exactly one allowed value. */
function constantsOf(shape: Json | undefined): Record<string, Json> {
  const properties = isObject(shape) && isObject(shape['properties']) ? shape['properties'] : {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) =>
      isObject(field) && field['const'] !== undefined ? [[name, field['const']]] : [],
    ),
  );
}

function withoutId(schema: JsonObject): JsonObject {
  const { id: _name, ...rest } = schema;
  return rest;
}

export const capitalized = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
