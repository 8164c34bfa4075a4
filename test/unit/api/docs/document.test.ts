import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { openApiDocument, operations } from '../../../../src/api/docs/document.ts';
import { renderReference } from '../../../../src/api/docs/reference-page.tsx';
import { eventIdPattern } from '../../../../src/domain/event-id.ts';
import { eventFilterPattern, eventTypes } from '../../../../src/domain/event-types.ts';
import { refusals } from '../../../../src/domain/refusals.ts';
import { httpsUriPattern } from '../../../../src/domain/urls.ts';
import { sampleBody } from '../../../support/sample-body.ts';

const { Spectral } = spectralCore;
const { oas } = spectralRulesets;

/** The document as its readers receive it. */
const document = JSON.parse(JSON.stringify(openApiDocument('https://pay.example'))) as {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<
    string,
    { post: { requestBody: { content: { 'application/json': { schema: Reference } } } } }
  >;
  components: {
    parameters: Record<string, Parameter>;
    responses: Record<string, Answer & { 'x-error-codes': string[] }>;
    schemas: Record<string, Record<string, unknown>>;
  };
};
interface Reference {
  $ref: string;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
}
interface Answer {
  content: { 'application/json': { schema: Reference } };
}
interface Described {
  operationId: string;
  description: string;
  'x-required-scope': string;
  'x-codeSamples': { lang: string; source: string }[];
  parameters: (Parameter | Reference)[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: Reference } } };
  responses: Record<string, Reference | Answer>;
}

const nameIn = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf('/') + 1);
const answerOf = (response: Reference | Answer): Answer =>
  '$ref' in response ? (document.components.responses[nameIn(response)] as Answer) : response;
const described = operations.map(({ method, path }) => document.paths[path]?.[method] as Described);

/** The statuses of docs/errors.md by endpoint, beyond 400, 401, 429 and 503. */
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
    ).toEqual([...new Set([...statuses, 400, 401, 403, 429, 503])].toSorted((a, b) => a - b));
  });

  it('names per status exactly the codes the endpoint can answer', () => {
    const codesOf = (method: string, path: string) =>
      Object.fromEntries(
        Object.entries(document.paths[path]?.[method]?.responses ?? {}).map(([status, response]) => [
          status,
          '$ref' in response ? document.components.responses[nameIn(response)]?.['x-error-codes'] : [],
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
        for (const code of codes ?? [])
          expect(refusals[code as keyof typeof refusals].status).toBe(Number(status));
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
      const [, kind = '', name] = /^#\/components\/(\w+)\/(\w+)$/.exec(reference) ?? [];
      const known = (document.components as Record<string, object>)[kind] ?? {};
      expect([reference, Object.keys(known).includes(String(name))]).toEqual([reference, true]);
    }
  });

  it('documents the key, the path and every query parameter where they belong', () => {
    const parameters = (method: string, path: string) =>
      document.paths[path]?.[method]?.parameters
        .map((each) => ('$ref' in each ? document.components.parameters[nameIn(each)] : each))
        .map((parameter) => [parameter?.name, parameter?.in, parameter?.required ?? false]);
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
        successUrl: { $ref: '#/components/schemas/HttpsUrl' },
      },
    });
    expect(document.components.schemas['HttpsUrl']).toMatchObject({ format: 'uri', maxLength: 2048 });
  });

  it('is listed by the reference for readers without script, and no script or handler is inline', () => {
    const html = renderReference(openApiDocument('https://pay.example'));
    for (const { id, path } of operations) {
      expect(html).toContain(`id="${id}"`);
      expect(html).toContain(path);
    }
    expect(html).toContain('amountCents, currency, reference');
    expect(html).toContain('checkoutMode (optional)');
    expect(html.match(/<script[^>]*>/g)).toEqual([
      '<script defer src="/docs/start.js">',
      '<script defer src="/docs/reference.js">',
    ]);
    expect(html).not.toMatch(/<script[^>]*>[^<]|\son\w+=|style="/i);
  });
});

describe('the document for generators', () => {
  it('has at most 150 KB', () => {
    expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(150_000);
  });

  it('contains named texts and shared answers once', () => {
    const text = JSON.stringify(document);
    for (const pattern of [httpsUriPattern, eventFilterPattern.source, eventIdPattern.source])
      expect([pattern, text.split(`"pattern":${JSON.stringify(pattern)}`).length - 1]).toEqual([pattern, 1]);
    const written = described
      .flatMap(({ responses }) => Object.values(responses))
      .filter((each) => !('$ref' in each))
      .map((each) => JSON.stringify(each));
    expect(new Set(written).size).toBe(written.length);
  });

  it('describes every operation, with its scope and its samples', () => {
    for (const operation of described) {
      expect(operation.description).toMatch(/^[A-Z`].*\.$/);
      expect(operation['x-required-scope']).toMatch(
        /^(payments|refunds|disputes|webhooks|events|branding|sandbox):(read|write)$/,
      );
      expect(operation['x-codeSamples'].map(({ lang }) => lang)).toEqual(['Shell', 'TypeScript', 'Python']);
    }
    expect(document.paths['/v1/payments/{id}/refunds']?.['get']?.['x-required-scope']).toBe('refunds:read');
    expect(document.paths['/v1/payments/{id}/capture']?.['post']?.['x-required-scope']).toBe(
      'payments:write',
    );
    expect(document.paths['/v1/webhook-endpoints/{id}/deliveries']?.['get']?.['x-required-scope']).toBe(
      'webhooks:read',
    );
    expect(document.paths['/v1/sandbox/payments/{id}/disputes']?.['post']?.['x-required-scope']).toBe(
      'sandbox:write',
    );
  });

  it('has named schemas for every body, answer and refusal', () => {
    const unnamed = described.flatMap(({ operationId, requestBody, responses }) => {
      const answers = Object.entries(responses).flatMap(([status, each]) =>
        status.startsWith('2') ? [answerOf(each)] : [],
      );
      const schemas = [...(requestBody ? [requestBody] : []), ...answers].map(
        ({ content }) => content['application/json'].schema,
      );
      const named = schemas.every((schema) => '$ref' in schema);
      return named && answers.length === 1 && Object.keys(responses).length > 4 ? [] : [operationId];
    });
    expect(unnamed).toEqual([]);
  });

  it('has the samples of bodies that the API takes', () => {
    const bodies = operations.flatMap((operation) => {
      const sent = sampleBody(operation.id);
      return sent === null ? [] : [[operation, sent] as const];
    });
    expect(bodies.length).toBeGreaterThan(18);
    for (const [{ id, body }, sent] of bodies)
      expect([id, body?.schema.safeParse(sent).error]).toEqual([id, undefined]);
  });

  it('decides the shapes of an attempt, a step and a fault by one field', () => {
    const discriminatorOf = (name: string) => document.components.schemas[name]?.['discriminator'];
    expect(discriminatorOf('AttemptResult')).toMatchObject({
      propertyName: 'status',
      mapping: { failed: '#/components/schemas/AttemptFailed' },
    });
    expect(discriminatorOf('CheckoutAction')).toMatchObject({ propertyName: 'kind' });
    expect(discriminatorOf('SandboxFault')).toMatchObject({ propertyName: 'target' });
  });

  it('has a webhook with a payload of its own for every type of event', () => {
    expect(Object.keys(document.webhooks)).toEqual([...eventTypes]);
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const payload =
        document.components.schemas[nameIn(post.requestBody.content['application/json'].schema)];
      expect(JSON.stringify(payload)).toContain(`"type":{"type":"string","const":"${type}"}`);
    }
  });

  it('asks for no field of a body that has a default', () => {
    const bodies = described.flatMap(({ requestBody }) =>
      requestBody ? [nameIn(requestBody.content['application/json'].schema)] : [],
    );
    for (const name of bodies)
      expect(JSON.stringify(document.components.schemas[name])).not.toContain('"default"');
  });

  it("meets Redocly's recommended rules", async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it("meets Spectral's recommended rules", async () => {
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] });
    const problems = await spectral.run(document);
    expect(problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('.')}`)).toEqual([]);
  });
});
