import * as z from 'zod';
import { isRefusalCode, refusals } from '../../domain/refusals.ts';

const codes = Object.keys(refusals).filter(isRefusalCode);

/** The body of every error answer; each code has one HTTP status. Spec: Errors > body shape. */
export const ErrorBody = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(codes),
      message: z.string().min(1).meta({ description: 'For people; it may change.' }),
      field: z.string().min(1).meta({ description: 'The offending field, on validation errors.' }).optional(),
    }),
  })
  .meta({
    id: 'Error',
    description: 'Why the request was refused. It describes the request, never the payment.',
    examples: [
      { error: { code: 'validation_failed', message: 'reference is required', field: 'reference' } },
    ],
  });
export type ErrorBody = z.infer<typeof ErrorBody>;
