import { openApiDocument } from '../../../../src/api/docs/document.ts';
import { type JsonObject, textOf } from '../../../../src/api/docs/json.ts';
import { isEventId } from '../../../../src/db/webhooks/events.ts';
import { type BrandingField, checkBrandingField } from '../../../../src/domain/branding.ts';
import { isEventFilter } from '../../../../src/domain/event-types.ts';
import { isStorableText } from '../../../../src/domain/text.ts';
import { checkOrigin, checkUri } from '../../../../src/domain/urls.ts';
import { commonFaultModes, faultModes } from '../../../../src/operations/sandbox/faults.ts';

/*
 * The document and the validators agree on everything that a pattern can express: no documented text is
 * refused, and no accepted text is undocumented.
 */

const document = openApiDocument('https://pay.example');
const production = { allowHttpLoopback: false };

/** The member of the document at a path of keys. */
const at = (...path: (string | number)[]): JsonObject =>
  path.reduce((value, key) => value[key] as JsonObject, document);

/** Returns the target of a reference. */
const followed = ({ $ref }: JsonObject): JsonObject => at(...textOf($ref).slice(2).split('/'));

const schemaOf = (name: string, property: string): JsonObject =>
  at('components', 'schemas', name, 'properties', property);

const brandingField = (field: string): JsonObject =>
  at('components', 'schemas', 'ChangeBranding', 'properties', field, 'anyOf', 0);

/** Whether a text matches every pattern of a schema, and its length in code points. */
function isDocumented(schema: JsonObject, text: string): boolean {
  const all = [schema, ...((schema['allOf'] ?? []) as JsonObject[])];
  const length = Array.from(text).length;
  return all.every(
    ({ pattern, minLength, maxLength }) =>
      (pattern === undefined || new RegExp(pattern as string, 'u').test(text)) &&
      (minLength === undefined || length >= Number(minLength)) &&
      (maxLength === undefined || length <= Number(maxLength)),
  );
}

const texts = [
  ...['', ' ', 'a', ' a ', '\ta\t', 'a\tb', 'Shop', 'ACME 24', ' ACME 24 ', 'ACME', '12345', 'a'.repeat(22)],
  ...[
    'a'.repeat(23),
    'é'.repeat(5),
    '😀'.repeat(60),
    '😀'.repeat(61),
    '\u202ea',
    '\ufeff',
    '\u00a0',
    'a\u0000b',
  ],
  ...['#1d4ed8', '#1D4ED8', '#1d4ed', '1d4ed8', '#1d4ed8\n', 'start', 'evt_', `evt_${'a'.repeat(24)}`],
  ...[
    `evt_${'a'.repeat(25)}`,
    `evt_${'a'.repeat(24)}\n`,
    'payment.*',
    'payment.paid',
    'payment.',
    'payment.a.b',
  ],
  ...[
    'customer.*',
    'payment.paid\n',
    'https://shop.example',
    'HTTPS://shop.example:8443',
    'http://shop.example',
  ],
  ...[
    'https://shop.example/',
    'https://shop.example/a?b=c',
    'https://shop.example#x',
    'https://a@shop.example',
  ],
  ...['https://', 'https:///x', 'https://shop.example/a b', 'https://shop.example\\x', 'ftp://shop.example'],
  ...['https://müller.example', 'shop.example', `https://shop.example/${'a'.repeat(2_030)}`],
];

const event = at('paths', '/v1/events/{id}', 'get', 'parameters', 0, 'schema');
const filter = at(
  ...['components', 'schemas', 'CreateWebhookEndpoint', 'properties', 'events', 'anyOf', 0, 'items'],
);
const token = schemaOf('Pay', 'cardToken');

const validators: [string, JsonObject, (text: string) => boolean][] = [
  ['the id of an event', followed(event), isEventId],
  ['a filter of events', followed(filter), isEventFilter],
  ['a card token', token, (text) => isStorableText(text) && Array.from(text).length >= 16],
  ['a URL', followed(schemaOf('CreatePayment', 'successUrl')), (text) => checkUri(text, production).ok],
  ['an origin', schemaOf('CreatePayment', 'embeddingOrigin'), (text) => checkOrigin(text, production).ok],
  ...(['displayName', 'statementDescriptor', 'accent'] as const).map(
    (field: BrandingField): [string, JsonObject, (text: string) => boolean] => [
      field,
      brandingField(field),
      (text) => checkBrandingField(field, text, production).ok,
    ],
  ),
];

describe('the documented rule of a text', () => {
  it.each(validators)("%s: equals the validator's rule", (_name, schema, isTaken) => {
    expect(JSON.stringify(schema)).toContain('pattern');
    const [documented, taken] = [(text: string) => isDocumented(schema, text), isTaken].map((judge) =>
      texts.filter((text) => text.length < 5_000 && judge(text)),
    );
    expect(documented).toEqual(taken);
    expect(taken?.length).toBeGreaterThan(0);
  });

  it('the documented modes of a fault are those of its target', () => {
    const modesOf = (fault: string) => schemaOf(fault, 'mode')['$ref'];
    expect(at('components', 'schemas', 'FaultMode')['enum']).toEqual(commonFaultModes);
    expect(at('components', 'schemas', 'NetworkFaultMode')['enum']).toEqual(faultModes);
    expect(['VaultFault', 'NetworkFault', 'WebhookFault'].map(modesOf)).toEqual([
      '#/components/schemas/FaultMode',
      '#/components/schemas/NetworkFaultMode',
      '#/components/schemas/FaultMode',
    ]);
  });
});
