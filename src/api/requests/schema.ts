import * as z from 'zod';
import { dateTime, uuid } from '../http/schema.ts';

/** One call of a key, as the request log stores it. docs/merchants.md. */
export const ApiRequest = z
  .strictObject({
    id: uuid().meta({ description: 'Its `Request-Id`.' }),
    at: dateTime(),
    method: z.string(),
    path: z.string().meta({ description: 'With `{id}` for ids; empty: none of the API.' }),
    status: z.int(),
    errorCode: z.string().nullable(),
    durationMs: z.int(),
  })
  .meta({ id: 'ApiRequest', description: 'A call of the API, without what was sent or answered.' });
