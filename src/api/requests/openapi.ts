import * as z from 'zod';
import { type Operation, listed, webhooksGroup } from '../http/operation.ts';
import { cursorParameters } from '../http/request-schema.ts';
import { cursorListOf } from '../http/schema.ts';
import { ApiRequest } from './schema.ts';

/** Operations of the request log (docs/merchants.md). */
export const requestOperations: readonly Operation[] = [
  {
    id: 'listRequests',
    method: 'get',
    path: '/v1/requests',
    group: webhooksGroup,
    summary: 'List calls of the API',
    description: 'By every key of this environment, newest first, for seven days.',
    query: z.strictObject(cursorParameters),
    answer: cursorListOf(ApiRequest),
    ...listed,
  },
];
