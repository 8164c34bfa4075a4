import { type JsonObject, isObject, nameIn } from './json.ts';

/** An answer that one operation has stays there. */
const leastUses = 2;

/**
 * Moves the answers of success that several operations have in common to the components, which it returns.
 * They are named after what they hold; those of keyed operations, which name another header, end with
 * `ForKeyed`.
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
    if (same.length < leastUses || shared[name] !== undefined) continue;
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

/** Returns where an operation answers with success, and the answer as text. */
const placesOf = (responses: JsonObject): Place[] =>
  Object.entries(responses).flatMap(([status, answer]) =>
    status.startsWith('2') ? [{ responses, status, text: JSON.stringify(answer) }] : [],
  );

function nameOf({ content, headers }: JsonObject): string {
  const json = isObject(content) ? content['application/json'] : undefined;
  const schema = isObject(json) && isObject(json['schema']) ? json['schema'] : {};
  return `${nameIn(schema['$ref']).replace(/Response$/, '')}${headers === undefined ? '' : 'ForKeyed'}`;
}
