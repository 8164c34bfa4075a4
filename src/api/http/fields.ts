import * as z from 'zod';
import { isJsonObject, maxMetadataBytes, maxMetadataKeys, metadataFault } from './metadata.ts';
import {
  holdsCardNumber,
  jsonHoldsCardNumber,
  referenceHoldsCardNumber,
  urlHoldsCardNumber,
} from '../../domain/card-number.ts';
import { isLengthWithin, isStorableText, storablePattern } from '../../domain/text.ts';
import { checkUri, httpsUriPattern, maxUriLength, type UrlOptions } from '../../domain/urls.ts';

/** Returns zod's error text for a value of the wrong type. It completes "<field> …" and quotes no value. */
export const expected =
  (what: string) =>
  (issue: { input?: unknown }): string =>
    issue.input === undefined ? `is required and must be ${what}` : `must be ${what}`;

/** A string that can be stored, kept unchanged: it is not trimmed (AMB-54). */
export const storableText = (): z.ZodString =>
  z
    .string({ error: expected('a string') })
    .refine(isStorableText, { error: 'must not contain U+0000 or lone surrogates' })
    .meta({ pattern: storablePattern.source });

/** A storable string of `min` to `max` code points; zod's own bounds count UTF-16 units (AMB-15). */
export const text = (min: number, max: number): z.ZodString =>
  storableText()
    .refine((value) => isLengthWithin(value, min, max), { error: `must be ${min} to ${max} characters long` })
    .meta({ minLength: min, maxLength: max });

/** The error text for a text that holds a card number; it does not repeat the number. */
export const noCardNumber = { error: 'must not contain a card number' };

/**
 * A text that is stored unencrypted or sent to others, so a card number in it is refused. docs/security.md.
 */
export const openText = (min: number, max: number): z.ZodString =>
  text(min, max).refine((value) => !holdsCardNumber(value), noCardNumber);

/**
 * The merchant's reference of an order or a refund. Random order numbers that resemble card numbers are
 * accepted. docs/security.md.
 */
export const referenceText = (): z.ZodString =>
  text(1, 255).refine((value) => !referenceHoldsCardNumber(value), noCardNumber);

/** A URL in the request, kept as sent. Spec: Resources > URL format. */
export const uri = (options: UrlOptions): z.ZodString =>
  z
    .string({ error: expected('a URL') })
    .superRefine((value, context) => {
      const checked = checkUri(value, options);
      if (!checked.ok) context.addIssue(checked.reason);
    })
    .refine((value) => !urlHoldsCardNumber(value), noCardNumber)
    .meta({ format: 'uri', minLength: 1, maxLength: maxUriLength, pattern: httpsUriPattern });

/** One of a fixed list of words, case-sensitive. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: expected(words.length === 1 ? words[0] : `one of ${words.join(', ')}`) });

/**
 * Free-form metadata, passed on unchanged. An object schema would copy it and drop a member named
 * `__proto__`.
 * Spec: Resources > metadata.
 */
export const metadata = z
  .unknown()
  .refine(isJsonObject, { error: 'must be an object', abort: true })
  .superRefine((value, context) => {
    const fault = metadataFault(value);
    if (fault !== null) context.addIssue(fault);
  })
  .refine((value) => !jsonHoldsCardNumber(value), noCardNumber)
  .meta({
    type: 'object',
    maxProperties: maxMetadataKeys,
    additionalProperties: true,
    description: `Free-form, at most ${maxMetadataKeys} keys and ${maxMetadataBytes} bytes of canonical (RFC 8785) UTF-8 JSON.`,
  });

/** The empty JSON object and nothing else. */
export const emptyObject = z.strictObject({}, { error: expected('an empty JSON object') });

/** The error text for a body or field that is not a JSON object. */
export const object = { error: expected('a JSON object') };
