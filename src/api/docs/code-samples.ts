import type { Operation } from '../http/operation.ts';
import { type Json, type JsonObject, isObject, textOf } from './json.ts';
import { type SampleCall, sampleCalls } from './sample-calls.ts';

const exampleId = '01931c5e-…';
const exampleEventId = 'evt_5g5S…';
const exampleKey = 'order-1001-pay-1';

/**
 * Returns the samples of an operation: the same call by curl and by both SDKs, whose client is `cp`. The
 * document shows once how it is made.
 */
export function codeSamples(operation: Operation): JsonObject[] {
  const call = sampleCalls[operation.id];
  if (call === undefined) throw new Error(`${operation.id} has no sample call`);
  return [
    { lang: 'Shell', label: 'curl', source: curl(operation, call) },
    { lang: 'TypeScript', label: 'TypeScript', source: typeScript(operation, call) },
    { lang: 'Python', label: 'Python', source: python(operation, call) },
  ];
}

/** Returns the id that the path of an operation takes in samples; null where it takes none. */
function idOf({ path, idOf: kind }: Operation): string | null {
  if (!path.includes('{id}')) return null;
  return kind === 'event' ? exampleEventId : exampleId;
}

function curl(operation: Operation, { body, query }: SampleCall): string {
  const parameters = new URLSearchParams(
    Object.entries(query ?? {}).map(([name, value]) => [name, textOf(value) || JSON.stringify(value)]),
  ).toString();
  const search = parameters === '' ? '' : `?${parameters}`;
  const path = operation.path.replace('{id}', idOf(operation) ?? '');
  const sent = body ?? (operation.body?.required === true ? {} : undefined);
  const method = operation.method.toUpperCase();
  // A body makes curl send POST.
  const isImplied = method === 'GET' || (method === 'POST' && sent !== undefined);
  return [
    `curl ${isImplied ? '' : `-X ${method} `}"$CARD_PAYMENTS_URL${path}${search}"`,
    `-H "Authorization: Bearer $CARD_PAYMENTS_API_KEY"`,
    ...(operation.keyed ? [`-H 'Idempotency-Key: ${exampleKey}'`] : []),
    ...(sent === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(sent)}'`]),
  ].join(' \\\n  ');
}

function typeScript(operation: Operation, { method, result, body, query }: SampleCall): string {
  const id = idOf(operation);
  const given = [
    ...(id === null ? [] : [typeScriptValue(id)]),
    ...(body === undefined ? [] : [typeScriptValue(body)]),
    ...(query === undefined ? [] : [typeScriptValue(query)]),
    ...(operation.keyed ? [`{ idempotencyKey: '${exampleKey}' }`] : []),
  ];
  return `const ${result} = await cp.${method}(${given.join(', ')});`;
}

function typeScriptValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(typeScriptValue).join(', ')}]`;
  if (!isObject(value)) return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${typeScriptValue(member)}`);
  return `{ ${members.join(', ')} }`;
}

function python(operation: Operation, { method, result, body, query }: SampleCall): string {
  const id = idOf(operation);
  const isCard = operation.id === 'pay';
  const named = Object.entries({ ...(isCard ? {} : body), ...query });
  const given = [
    ...(id === null ? [] : [JSON.stringify(id)]),
    ...(isCard ? ['card'] : []),
    ...named.map(([name, value]) => `${snakeCase(name)}=${pythonValue(value)}`),
    ...(operation.keyed ? [`idempotency_key="${exampleKey}"`] : []),
  ];
  const card = Object.entries(body ?? {}).map(([name, value]) => `${snakeCase(name)}=${pythonValue(value)}`);
  return [
    ...(isCard ? [`card = CaptureCard(${card.join(', ')})`] : []),
    `${result} = cp.${snakeCase(method)}(${given.join(', ')})`,
  ].join('\n');
}

function pythonValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, member]) => `"${name}": ${pythonValue(member)}`);
    return `{${members.join(', ')}}`;
  }
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : JSON.stringify(value);
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
