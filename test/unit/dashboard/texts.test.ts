import { openApiDocument } from '../../../src/api/docs/document.ts';
import type { Json, JsonObject } from '../../../src/api/docs/json.ts';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { frameTexts } from '../../../src/card-frame/texts.ts';
import { messages } from '../../../src/checkout-page/messages.ts';

/**
 * Names of the API's fields and parameters that are not words of a language, such as `amountCents`. Others,
 * such as `status`, cannot be distinguished from the words of a sentence.
 */
const fieldNames = namesIn(openApiDocument('https://pay.example'));

/** Paths of texts that may contain code, such as `.developers.example`. Currently there are none. */
const showsCode: readonly string[] = [];

/** Returns the names of properties and parameters anywhere in a JSON Schema or an OpenAPI document. */
function namesIn(document: JsonObject): Set<string> {
  const names = new Set<string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (value !== null && typeof value === 'object') {
      const { properties, name, in: place } = value;
      if (isObject(properties)) for (const property of Object.keys(properties)) names.add(property);
      if (typeof name === 'string' && place === 'query') names.add(name);
      Object.values(value).forEach(visit);
    }
  };
  visit(document);
  return new Set([...names].filter((name) => /[a-z][A-Z]|_/.test(name)));
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Returns the sentences below a value, by their path. A function is called with a number for each value. */
function sentencesOf(value: unknown, path: string): [path: string, sentence: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function')
    return sentencesOf(String(Reflect.apply(value, null, Array(9).fill('7'))), path);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => sentencesOf(part, `${path}.${name}`));
}

const wordsOf = (sentence: string): string[] => sentence.match(/[A-Za-z_]\w*/g) ?? [];

const pages: [name: string, texts: unknown][] = [
  ['the dashboard', texts],
  ...Object.entries(messages).map(([locale, text]): [string, unknown] => [`the checkout in ${locale}`, text]),
  ...Object.entries(frameTexts).map(([locale, text]): [string, unknown] => [
    `the card form in ${locale}`,
    text,
  ]),
];

it('reads the field names of the API from its schemas', () => {
  expect([...fieldNames]).toEqual(
    expect.arrayContaining(['amountCents', 'checkoutMode', 'captureReference', 'nextCursor', 'perPage']),
  );
  expect(fieldNames.size).toBeGreaterThan(60);
});

it.each(pages)('no sentence of %s has a field name of the API', (_page, page) => {
  const sentences = sentencesOf(page, '').filter(([path]) => !showsCode.includes(path));
  expect(sentences.length).toBeGreaterThan(10);
  const wrong = sentences.filter(([, sentence]) => wordsOf(sentence).some((word) => fieldNames.has(word)));
  expect(wrong).toEqual([]);
});

it('finds a field name within a sentence, also one that a function returns', () => {
  const found = sentencesOf(
    { a: 'Enter amountCents.', b: [(most: number) => `perPage is ${most} at most`] },
    '',
  );
  expect(found.map(([, sentence]) => wordsOf(sentence).filter((word) => fieldNames.has(word)))).toEqual([
    ['amountCents'],
    ['perPage'],
  ]);
});
