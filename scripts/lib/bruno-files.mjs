/**
 * @typedef {{ lang: string, label?: string, source: string }} Sample
 * @typedef {{ operationId: string, summary: string, tags: string[], 'x-codeSamples': Sample[] }} Described
 * @typedef {{ paths: Record<string, Record<string, Described>> }} Document
 */

/**
 * Returns the files of a collection for Bruno, by their paths in it: one request for each operation.
 * @param {Document} document the OpenAPI document
 * @returns {Record<string, string>}
 */
export function brunoFiles({ paths }) {
  /** @type {Record<string, string>} */
  const files = {
    'bruno.json': `${JSON.stringify({ version: '1', name: 'Card payments', type: 'collection' }, null, 2)}\n`,
    'collection.bru': 'auth {\n  mode: bearer\n}\n\nauth:bearer {\n  token: {{apiKey}}\n}\n',
    'environments/local.bru':
      'vars {\n  baseUrl: http://127.0.0.1:3000\n  id: \n}\nvars:secret [\n  apiKey\n]\n',
  };
  let sequence = 0;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      sequence += 1;
      files[`${operation.tags[0]}/${operation.operationId}.bru`] = requestOf(
        path,
        method,
        operation,
        sequence,
      );
    }
  }
  return files;
}

/**
 * @param {string} path
 * @param {string} method
 * @param {Described} operation
 * @param {number} sequence
 */
function requestOf(path, method, operation, sequence) {
  const curl = operation['x-codeSamples'].find(({ label }) => label === 'curl')?.source ?? '';
  const sent = /^ {2}-d '(.*)'$/m.exec(curl)?.[1];
  const isKeyed = curl.includes('Idempotency-Key');
  const body = sent === undefined ? 'none' : 'json';
  const url = `{{baseUrl}}${path.replace('{id}', '{{id}}')}`;
  return [
    `meta {\n  name: ${operation.summary}\n  type: http\n  seq: ${sequence}\n}`,
    `${method} {\n  url: ${url}\n  body: ${body}\n  auth: inherit\n}`,
    ...(isKeyed ? ['headers {\n  Idempotency-Key: {{$guid}}\n}'] : []),
    ...(sent === undefined
      ? []
      : [`body:json {\n${JSON.stringify(JSON.parse(sent), null, 2).replaceAll(/^/gm, '  ')}\n}`]),
  ]
    .join('\n\n')
    .concat('\n');
}
