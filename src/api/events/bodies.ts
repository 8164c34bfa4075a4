import * as z from 'zod';
import { expected, object } from '../http/fields.ts';

/** Where the log begins, for `after`. */
export const logStart = 'start';
export const maxSequence = 2_147_483_647;

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
