import { openApiDocument, operations } from '../../../../src/api/docs/document.ts';
import { renderReference } from '../../../../src/api/docs/reference-page.tsx';
import { refusals } from '../../../../src/domain/refusals.ts';

/** As its readers get it. */
const document = JSON.parse(JSON.stringify(openApiDocument('https://pay.example'))) as {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Record<string, unknown>> };
};
interface Described {
  operationId: string;
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { required: boolean };
  responses: Record<string, { content: { 'application/json': { schema: { allOf?: unknown[] } } } }>;
}

/** docs/errors.md, by endpoint: the statuses beyond 400, 401, 429 and 503. */
const listed: [string, string, number[]][] = [
  ['post', '/v1/payments', [201, 409, 422]],
  ['get', '/v1/payments', [200]],
  ['get', '/v1/payments/{id}', [200, 404]],
  ['post', '/v1/payments/{id}/capture', [200, 404, 409, 410]],
  ['get', '/v1/payments/{id}/checkout', [200, 404]],
  ['post', '/v1/payments/{id}/pay', [200, 404, 409, 410, 422]],
  ['post', '/v1/payments/{id}/confirm', [200, 404, 409, 410]],
  ['get', '/v1/payments/{id}/status', [200, 404]],
];

describe('the OpenAPI document', () => {
  it.each(listed)('%s %s answers exactly the statuses of the specification', (method, path, statuses) => {
    const { responses = {} } = document.paths[path]?.[method] ?? {};
    expect(
      Object.keys(responses)
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual([...new Set([...statuses, 400, 401, 429, 503])].toSorted((a, b) => a - b));
  });

  it('names per status exactly the codes the endpoint can answer', () => {
    const codesOf = (method: string, path: string) =>
      Object.fromEntries(
        Object.entries(document.paths[path]?.[method]?.responses ?? {}).map(([status, response]) => [
          status,
          JSON.stringify(response.content['application/json'].schema.allOf?.[1] ?? '').match(
            /[a-z]+_[a-z_]+/g,
          ) ?? [],
        ]),
      );
    expect(codesOf('post', '/v1/payments/{id}/confirm')['409']).toEqual([
      'confirmation_in_progress',
      'confirmation_not_required',
      'result_pending',
    ]);
    expect(codesOf('get', '/v1/payments')['400']).toEqual(['invalid_request', 'invalid_query']);
    expect(codesOf('post', '/v1/payments/{id}/pay')['422']).toEqual(['card_token_rejected']);
    for (const { method, path } of operations) {
      for (const [status, codes] of Object.entries(codesOf(method, path))) {
        for (const code of codes) expect(refusals[code as keyof typeof refusals].status).toBe(Number(status));
      }
    }
  });

  it('is 3.1, has unique operation ids and no dangling reference', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference);
    expect(references.length).toBeGreaterThan(50);
    for (const reference of new Set(references)) {
      const name = /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1] ?? reference;
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
  });

  it('documents the key, the path and every query parameter where they belong', () => {
    const parameters = (method: string, path: string) =>
      document.paths[path]?.[method]?.parameters.map(({ name, in: place, required }) => [
        name,
        place,
        required,
      ]);
    expect(parameters('post', '/v1/payments')).toEqual([['Idempotency-Key', 'header', true]]);
    expect(parameters('get', '/v1/payments')).toEqual(
      ['status', 'from', 'to', 'page', 'perPage'].map((name) => [name, 'query', false]),
    );
    expect(parameters('get', '/v1/payments/{id}')).toEqual([
      ['id', 'path', true],
      ['waitSeconds', 'query', false],
    ]);
  });

  it('contains the limits of the specification', () => {
    expect(document.components.schemas['CreatePayment']).toMatchObject({
      additionalProperties: false,
      required: ['amountCents', 'currency', 'reference', 'successUrl', 'cancelUrl'],
      properties: {
        amountCents: { type: 'integer', minimum: 500, maximum: 100_000_000 },
        reference: { minLength: 1, maxLength: 255 },
        successUrl: { format: 'uri', maxLength: 2048 },
      },
    });
  });

  it('is shown completely by the reference, which runs no script', () => {
    const html = renderReference(openApiDocument('https://pay.example'));
    for (const { id, path } of operations) {
      expect(html).toContain(`id="${id}"`);
      expect(html).toContain(path);
    }
    expect(html).not.toMatch(/<script|onload=|style="/i);
  });

  it('is explained by the reference: each field with its type and bounds', () => {
    const html = renderReference(openApiDocument('https://pay.example'));
    const rowOf = (section: string, name: string): string =>
      new RegExp(`id="${section}".*?<tr><td><code>${name}</code>(.*?)</tr>`, 's').exec(html)?.[1] ?? '';
    expect(rowOf('createPayment', 'amountCents')).toBe(
      '</td><td>integer</td><td>US cents. 500 to 100,000,000.</td>',
    );
    expect(rowOf('createPayment', 'customer.email')).toContain('<small> optional</small>');
    expect(rowOf('createPayment', 'checkoutMode')).toContain(
      'One of hosted, custom. Left out: &quot;hosted&quot;.',
    );
    expect(rowOf('listPayments', 'data')).toContain('<a href="#schema-Payment">list of Payment</a>');
    expect(rowOf('schema-Payment', 'paidAt')).toContain('instant or null');
    expect(rowOf('createPayment', 'currency')).toContain('Only USD.');
    // What the document writes between backticks is code here.
    expect(html).toContain('<code>Idempotent-Replayed: true</code>');
    expect(html).not.toContain('`');
    // Where no field needs a word, there is no column for words.
    expect(rowOf('retrieveCheckout', 'id')).toBe('</td><td>UUID</td>');
    // Every link to a schema leads to one.
    for (const [, name] of html.matchAll(/href="#schema-([^"]+)"/g)) {
      expect(html).toContain(`id="schema-${name}"`);
    }
  });
});
