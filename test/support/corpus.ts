import { readFileSync } from 'node:fs';
import * as z from 'zod';

const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`./corpora/${file}`, import.meta.url), 'utf8'));

const jsonCase = z.union([
  z.strictObject({ name: z.string(), text: z.string() }),
  z.strictObject({ name: z.string(), hex: z.string() }),
  z.strictObject({ name: z.string(), parts: z.array(z.tuple([z.string(), z.int()])) }),
]);

function bytesOf(row: z.infer<typeof jsonCase>): Buffer {
  if ('text' in row) return Buffer.from(row.text, 'utf8');
  if ('hex' in row) return Buffer.from(row.hex, 'hex');
  return Buffer.from(row.parts.map(([part, times]) => part.repeat(times)).join(''), 'utf8');
}

/** Returns documents with a name, written as text, as hex bytes, or as parts to repeat. */
export const jsonCases = (file: 'json-accept.json' | 'json-reject.json'): [name: string, bytes: Buffer][] =>
  z
    .array(jsonCase)
    .parse(read(file))
    .map((row) => [row.name, bytesOf(row)]);

/**
 * Vectors of RFC 8785: documents with their canonical form, and doubles by their bits; `null` where there is
 * none.
 */
export const rfc8785 = z
  .strictObject({
    documents: z.array(
      z.strictObject({
        name: z.string(),
        input: z.string(),
        canonical: z.string(),
        /** The input has a number that a double cannot represent, which strict parsing refuses. */
        beyondDouble: z.boolean().default(false),
      }),
    ),
    numbers: z.array(z.strictObject({ ieee754: z.string(), canonical: z.string().nullable() })),
  })
  .parse(read('rfc8785.json'));

/** Strings that break careless programs, by class; those that are not storable must be refused. */
const stringClasses = z
  .array(z.strictObject({ class: z.string(), storable: z.boolean(), strings: z.array(z.string()) }))
  .parse(read('strings.json'));

export const storableStrings = stringClasses.filter((one) => one.storable).flatMap((one) => one.strings);
export const unstorableStrings = stringClasses.filter((one) => !one.storable).flatMap((one) => one.strings);

/**
 * URLs with the decision of each deployment mode, written by hand. `pad` is the number of characters to which
 * the URL is lengthened.
 */
export const urlRows = z
  .array(
    z.strictObject({
      id: z.string(),
      url: z.string(),
      pad: z.int().optional(),
      development: z.boolean(),
      production: z.boolean(),
      why: z.string(),
    }),
  )
  .parse(read('urls.json'))
  .map((row) => ({ ...row, url: row.url.padEnd(row.pad ?? 0, 'x') }));
