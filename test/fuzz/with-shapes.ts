import { type Json, type JsonObject, isObject, mapObjects, nameIn } from '../../src/api/docs/json.ts';

/**
 * Returns the document in the form that the request generators read: parameters, closed lists of words, named
 * texts and the shapes of a body are inlined. Other named schemas stay references.
 */
export function withShapes(document: JsonObject): JsonObject {
  const { schemas = {}, parameters = {} } = (document['components'] ?? {}) as Record<string, JsonObject>;
  const resolve = (object: JsonObject): Json => {
    const { $ref, ...beside } = object;
    if (typeof $ref === 'string') {
      const name = nameIn($ref);
      if ($ref.includes('/parameters/')) return mapObjects(parameters[name] ?? {}, resolve);
      const schema = schemas[name];
      return isObject(schema) && schema['type'] === 'string' ? { ...schema, ...beside } : object;
    }
    const { oneOf, anyOf } = object;
    const shapes = oneOf ?? (isListOfShapes(anyOf) ? anyOf : undefined);
    if (!Array.isArray(shapes)) return object;
    const inline = shapes.map((shape) => {
      const named = isObject(shape) ? schemas[nameIn(shape['$ref'])] : undefined;
      return named === undefined ? shape : mapObjects(named, resolve);
    });
    return { ...object, oneOf: inline };
  };
  return mapObjects(document, resolve) as JsonObject;
}

/** Whether every choice is a named schema, so that the schema is one of several shapes. */
const isListOfShapes = (anyOf: Json | undefined): anyOf is Json[] =>
  Array.isArray(anyOf) && anyOf.every((choice) => isObject(choice) && typeof choice['$ref'] === 'string');
