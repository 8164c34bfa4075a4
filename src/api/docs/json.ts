/** Any JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a copy in which every object is replaced by the result of `change`, innermost objects first. */
export function mapObjects(value: Json, change: (object: JsonObject) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (!isObject(value)) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapObjects(member, change)])),
  );
}

/** Returns the value if it is a text, else an empty text. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Returns the last part of a reference to a component; empty if the value is no reference. */
export const nameIn = (reference: Json | undefined): string =>
  textOf(reference).slice(textOf(reference).lastIndexOf('/') + 1);
