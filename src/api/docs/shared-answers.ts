import { type JsonObject, isObject, nameIn } from './json.ts';

/** An answer that only one operation has is not moved. */
const minUses = 2;

/**
 * Moves the success answers that several operations share to the components, and returns them. They are named
 * after their content. Those of keyed operations also have a header, so their names end with `ForKeyed`.
 */
export function shareAnswers(paths: JsonObject): JsonObject {
  const places = Object.values(paths)
    .filter(isObject)
    .flatMap((methods) => Object.values(methods).filter(isObject))
    .flatMap(({ responses }) => (isObject(responses) ? placesOf(responses) : []));
  const uses = new Map<string, Place[]>();
  for (const place of places) uses.set(place.text, [...(uses.get(place.text) ?? []), place]);
  const shared: JsonObject = {};
  for (const [text, same] of uses) {
    const answer = JSON.parse(text) as JsonObject;
    const name = nameOf(answer);
    if (same.length < minUses || shared[name] !== undefined) continue;
    shared[name] = answer;
    for (const { responses, status } of same) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return shared;
}

interface Place {
  responses: JsonObject;
  status: string;
  text: string;
}

/** Returns the success answers of an operation: the place and the text of each. */
const placesOf = (responses: JsonObject): Place[] =>
  Object.entries(responses).flatMap(([status, answer]) =>
    status.startsWith('2') ? [{ responses, status, text: JSON.stringify(answer) }] : [],
  );

function nameOf({ content, headers }: JsonObject): string {
  const json = isObject(content) ? content['application/json'] : undefined;
  const schema = isObject(json) && isObject(json['schema']) ? json['schema'] : {};
  return `${nameIn(schema['$ref']).replace(/Response$/, '')}${headers === undefined ? '' : 'ForKeyed'}`;
}
