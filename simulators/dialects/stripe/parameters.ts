import { z } from 'zod';
import type { Form } from './form.ts';
import { badParameter, type StripeError } from './errors.ts';

/** Parameters as text on the wire, typed for the rules. */
export const wholeNumber = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number);
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
export const shortText = z.string().max(500);
/** At most 50 pairs; names at most 40 characters, values at most 500, as documented. */
export const metadata = z
  .union([z.literal(''), z.record(z.string().max(40), z.string().max(500))])
  .transform((value) => (value === '' ? {} : value))
  .refine((value) => Object.keys(value).length <= 50)
  .default({});
export const expand = z.array(z.string().max(200)).max(10).default([]);

/** The position and the filters of a list. */
export const listParameters = {
  limit: wholeNumber.pipe(z.int().min(1).max(100)).default(10),
  starting_after: z.string().max(66).optional(),
  ending_before: z.string().max(66).optional(),
  created: z
    .union([
      wholeNumber,
      z.strictObject({
        gt: wholeNumber.optional(),
        gte: wholeNumber.optional(),
        lt: wholeNumber.optional(),
        lte: wholeNumber.optional(),
      }),
    ])
    .optional(),
  expand,
};

/**
 * Returns the parameters as `schema` types them. Throws 400 naming the first wrong one, without its value.
 */
export function parseParameters<Output>(schema: z.ZodType<Output>, form: Form): Output {
  const result = schema.safeParse(form);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw issue ? parameterError(issue, form) : badParameter('body', 'The parameters are wrong.');
}

function parameterError(issue: z.core.$ZodIssue, form: Form): StripeError {
  if (issue.code === 'unrecognized_keys') {
    const param = bracketed([...issue.path, issue.keys[0] ?? '']);
    return badParameter(param, `Received unknown parameter: ${param}`, 'parameter_unknown');
  }
  const param = bracketed(issue.path);
  if (valueAt(form, issue.path) === undefined) {
    return badParameter(param, `Missing required param: ${param}.`, 'parameter_missing');
  }
  return badParameter(param, `Invalid ${param}.`);
}

const bracketed = ([head, ...rest]: readonly PropertyKey[]): string =>
  `${String(head ?? '').slice(0, 40)}${rest.map((part) => `[${String(part).slice(0, 40)}]`).join('')}`;

function valueAt(form: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined,
    form,
  );
}
