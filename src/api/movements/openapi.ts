import * as z from 'zod';
import { movementTypes } from '../../domain/movement.ts';
import { type Operation, listed } from '../http/operation.ts';
import { cursorListParameters } from '../http/request-schema.ts';
import { cursorListOf } from '../http/schema.ts';
import { Movement } from './schema.ts';

const movementsQuery = z.strictObject({
  type: z.enum(movementTypes).optional(),
  paymentId: z.uuid().optional(),
  ...cursorListParameters,
  from: cursorListParameters.from.meta({ description: 'First `bookedOn`, inclusive.' }),
  to: cursorListParameters.to.meta({ description: 'Last `bookedOn`, inclusive.' }),
});

/** Operations of movements (docs/movements.md). */
export const movementOperations: readonly Operation[] = [
  {
    id: 'listMovements',
    method: 'get',
    path: '/v1/movements',
    group: 'Movements',
    summary: 'List movements of money',
    description:
      'Last booked first. A month is closed three days after its end: what is noticed later is booked then.',
    query: movementsQuery,
    answer: cursorListOf(Movement),
    ...listed,
  },
];
