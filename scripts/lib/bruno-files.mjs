import { folders } from './bruno-order.mjs';
import { curlParts } from './curl-sample.mjs';

/**
 * @typedef {{ lang: string, label?: string, source: string }} Sample
 * @typedef {{ operationId: string, summary: string, responses: Record<string, object>,
 *   'x-codeSamples': Sample[] }} Described
 * @typedef {{ paths: Record<string, Record<string, Described>> }} Document
 * @typedef {import('./bruno-order.mjs').Prepared} Prepared
 */

/**
 * Returns the files of a collection for Bruno, by their paths in it: one request for each operation, made of
 * its sample for curl, and what must exist before. Throws where an operation has no place in the collection.
 * @param {Document} document the OpenAPI document
 * @returns {Record<string, string>}
 */
export function brunoFiles({ paths }) {
  const operations = Object.values(paths).flatMap((methods) => Object.entries(methods));
  /** @type {Record<string, string>} */
  const files = {
    'bruno.json': `${JSON.stringify({ version: '1', name: 'Card payments', type: 'collection' }, null, 2)}\n`,
    'collection.bru': 'auth {\n  mode: bearer\n}\n\nauth:bearer {\n  token: {{apiKey}}\n}\n',
    'environments/local.bru':
      'vars {\n  baseUrl: http://127.0.0.1:3000\n  orderId: order-1001\n}\nvars:secret [\n  apiKey\n]\n',
  };
  /** @type {Set<string>} */
  const placed = new Set();
  for (const [place, [folder, entries]] of Object.entries(folders).entries()) {
    files[`${folder}/folder.bru`] = `meta {\n  name: ${folder}\n  seq: ${place + 1}\n}\n`;
    for (const [index, entry] of entries.entries()) {
      const request = requestOf(typeof entry === 'string' ? { operation: entry } : entry, operations);
      placed.add(request.file);
      files[`${folder}/${request.file}.bru`] = textOf(request, index + 1);
    }
  }
  const missing = operations.map(([, { operationId }]) => operationId).filter((id) => !placed.has(id));
  if (missing.length > 0)
    throw new Error(`scripts/lib/bruno-order.mjs has no place for ${missing.join(', ')}`);
  return files;
}

/**
 * @param {import('./bruno-order.mjs').Shown | Prepared} entry
 * @param {[method: string, operation: Described][]} operations
 * @returns {Omit<Prepared, 'body'> & { body: string | null }}
 */
function requestOf(entry, operations) {
  if (!('operation' in entry)) return entry;
  const [method, operation] = operations.find(([, { operationId }]) => operationId === entry.operation) ?? [];
  if (method === undefined || operation === undefined)
    throw new Error(`scripts/lib/bruno-order.mjs: the document has no operation ${entry.operation}`);
  const { path, body, key } = curlParts(
    operation['x-codeSamples'].find(({ label }) => label === 'curl')?.source ?? '',
  );
  const success = Object.keys(operation.responses).find((status) => status.startsWith('2'));
  return {
    ...{ name: operation.summary, file: operation.operationId, method, url: `{{baseUrl}}${path}`, body },
    // The key is new each time, because a request that a person sends again in Bruno is meant as a new one.
    headers: key === null ? {} : { 'Idempotency-Key': '{{$guid}}' },
    ...{ auth: 'inherit', status: entry.status ?? `eq ${success}`, kept: entry.kept ?? {} },
  };
}

/**
 * @param {Omit<Prepared, 'body'> & { body: string | null }} request
 * @param {number} sequence
 */
function textOf({ name, method, url, headers = {}, body, auth, status, kept }, sequence) {
  const query = [...new URLSearchParams(url.split('?')[1] ?? '')];
  return [
    `meta {\n  name: ${name}\n  type: http\n  seq: ${sequence}\n}`,
    `${method} {\n  url: ${url}\n  body: ${body === null ? 'none' : 'json'}\n  auth: ${auth}\n}`,
    ...block('params:query', query),
    ...block('headers', Object.entries(headers)),
    ...(body === null
      ? []
      : [`body:json {\n${JSON.stringify(JSON.parse(body), null, 2).replaceAll(/^/gm, '  ')}\n}`]),
    ...block('vars:post-response', Object.entries(kept)),
    ...block('assert', [['res.status', status]]),
  ]
    .join('\n\n')
    .concat('\n');
}

/**
 * @param {string} name
 * @param {[string, string][]} lines
 * @returns {string[]}
 */
const block = (name, lines) =>
  lines.length === 0 ? [] : [`${name} {\n${lines.map(([key, value]) => `  ${key}: ${value}`).join('\n')}\n}`];
