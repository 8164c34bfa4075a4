import { type Json, type JsonObject, isObject } from './json.ts';

/** One field of a body or an answer, as the reference shows it. */
export interface FieldLine {
  /** The full name: `customer.email`. */
  name: string;
  type: string;
  /** The named schema the type is made of; null for a plain one. */
  schema: string | null;
  required: boolean;
  /** Its meaning and bounds, in sentences. */
  about: string;
}

/** Returns the shapes a body may have: one, unless its schema lists several. */
export const shapesOf = (schema: JsonObject): JsonObject[] =>
  Array.isArray(schema['oneOf']) ? schema['oneOf'].filter(isObject) : [schema];

/** Returns the fields of an object's schema in order, those of an object within it below its own. */
export function fieldsOf(schema: JsonObject, below = ''): FieldLine[] {
  const required = (schema['required'] ?? []) as string[];
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>).flatMap(
    ([name, field]) => [
      lineOf(`${below}${name}`, field, required.includes(name)),
      ...fieldsOf(field, `${below}${name}.`),
    ],
  );
}

/** Returns a field or parameter as the reference shows it. */
export function lineOf(name: string, field: JsonObject, required: boolean): FieldLine {
  return { name, ...typeOf(field), required, about: aboutOf(field) };
}

function typeOf(field: JsonObject): Pick<FieldLine, 'type' | 'schema'> {
  const { $ref, type, anyOf, items, format } = field;
  if (typeof $ref === 'string') {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return { type: name, schema: name };
  }
  if (Array.isArray(anyOf)) {
    const kinds = (anyOf as JsonObject[]).map(typeOf);
    const all = [...new Set(kinds.map((kind) => kind.type))].join(' or ');
    return { type: all, schema: kinds.find(({ schema }) => schema !== null)?.schema ?? null };
  }
  if (isObject(items)) {
    const { type: of, schema } = typeOf(items);
    return { type: `list of ${of}`, schema };
  }
  const plain = (Array.isArray(type) ? type : [type ?? 'any']).map(String);
  return {
    type: plain
      .map((one) => (one === 'string' ? (formats[typeof format === 'string' ? format : ''] ?? one) : one))
      .join(' or '),
    schema: null,
  };
}

/** Names of the string formats. */
const formats: Readonly<Record<string, string>> = {
  uri: 'URL',
  email: 'e-mail address',
  uuid: 'UUID',
  date: 'date',
  'date-time': 'instant',
};

function aboutOf(field: JsonObject): string {
  // The description of a nullable value is that of the value.
  const inner = Array.isArray(field['anyOf'])
    ? ((field['anyOf'] as JsonObject[]).find(({ type }) => type !== 'null') ?? {})
    : {};
  const {
    description,
    enum: values,
    const: only,
    minimum,
    maximum,
    minLength,
    maxLength,
    ...rest
  } = {
    ...inner,
    ...field,
  };
  const fallback = rest['default'];
  return [
    description,
    only === undefined ? null : `Always ${JSON.stringify(only)}.`,
    Array.isArray(values)
      ? `${values.length === 1 ? 'Only' : 'One of'} ${values.map(String).join(', ')}.`
      : null,
    rangeOf(minimum, maximum, ''),
    rangeOf(minLength, maxLength, ' characters'),
    fallback === undefined ? null : `Left out: ${JSON.stringify(fallback)}.`,
  ]
    .filter((part) => typeof part === 'string')
    .join(' ');
}

/** Returns the bounds of a value; those that every whole number has are omitted. */
function rangeOf(least: Json | undefined, most: Json | undefined, unit: string): string | null {
  const from = typeof least === 'number' && least > Number.MIN_SAFE_INTEGER && least !== 0 ? least : null;
  const to = typeof most === 'number' && most < Number.MAX_SAFE_INTEGER ? most : null;
  const text = (bound: number): string => bound.toLocaleString('en-US');
  if (to === null) return from === null ? null : `At least ${text(from)}${unit}.`;
  return from === null ? `At most ${text(to)}${unit}.` : `${text(from)} to ${text(to)}${unit}.`;
}
