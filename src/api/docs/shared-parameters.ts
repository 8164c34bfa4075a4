import { capitalized } from './components.ts';
import { type JsonObject, isObject, textOf } from './json.ts';

/** A parameter that only one operation has is not moved. */
const minUses = 2;

/** Moves the parameters that several operations share to the components, and returns them. */
export function shareParameters(paths: JsonObject): JsonObject {
  const operations = Object.values(paths)
    .filter(isObject)
    .flatMap((methods) => Object.values(methods).filter(isObject));
  const uses = new Map<string, number>();
  for (const parameter of operations.flatMap(parametersOf)) {
    const text = JSON.stringify(parameter);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const shared: JsonObject = {};
  const names = new Map<string, string>();
  for (const [text, count] of uses) {
    const parameter = JSON.parse(text) as JsonObject;
    const name = textOf(parameter['name']).split('-').map(capitalized).join('');
    if (count < minUses || shared[name] !== undefined) continue;
    shared[name] = parameter;
    names.set(text, name);
  }
  for (const operation of operations) {
    operation['parameters'] = parametersOf(operation).map((parameter) => {
      const name = names.get(JSON.stringify(parameter));
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
    });
  }
  return shared;
}

const parametersOf = ({ parameters }: JsonObject): JsonObject[] =>
  Array.isArray(parameters) ? parameters.filter(isObject) : [];
