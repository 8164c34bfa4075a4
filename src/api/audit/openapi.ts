import { type Operation, webhooksGroup } from '../http/operation.ts';
import { dataOf } from '../http/schema.ts';
import { AuditHead } from './schema.ts';

/** Operations of the audit log (docs/dashboard.md). */
export const auditOperations: readonly Operation[] = [
  {
    id: 'retrieveAuditHead',
    method: 'get',
    path: '/v1/audit/head',
    group: webhooksGroup,
    summary: 'Read the end of the audit log',
    description:
      'Of both environments. Store it elsewhere: `admin audit verify --head` shows whether the log still has it.',
    success: 200,
    answer: dataOf(AuditHead),
    codes: [],
  },
];
