import * as z from 'zod';
import { expected, object } from '../http/fields.ts';

/** The value of `after` that stands for the beginning of the log. */
export const logStart = 'start';
export const maxSequence = 2_147_483_647;

/**
 * Body of POST /v1/events/{id}/redeliver. Without `endpointId` the event goes to every enabled endpoint that
 * subscribes to its type.
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
