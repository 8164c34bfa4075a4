import type { By } from '../../../src/domain/audit.ts';

/** Returns the operator, now, as the actor that prepares a test's merchant. */
export const byOperator = (): By => ({
  actor: { kind: 'operator', id: null, name: 'operator', address: null },
  at: new Date(),
});
