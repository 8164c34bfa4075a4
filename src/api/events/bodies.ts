import * as z from 'zod';
import { expected, object } from '../http/fields.ts';

/**
 * Body of POST /v1/events/{id}/redeliver. `endpointId` absent: every enabled endpoint that asks for the
 * event.
 */
export const redeliverBody = z.strictObject(
  {
    endpointId: z
      .uuid({ error: expected('the id of an endpoint') })
      .toLowerCase()
      .optional(),
  },
  object,
);
