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
      'Of the merchant, in both environments. Store it outside of the service: `admin audit verify --head` then shows ' +
      'whether the log still contains it.',
    success: 200,
    answer: dataOf(AuditHead),
    codes: [],
  },
];
