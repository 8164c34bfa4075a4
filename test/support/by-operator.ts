import type { By } from '../../src/domain/audit.ts';

/** Whoever prepares a test's merchant: the operator, now. */
export const byOperator = (): By => ({
  actor: { kind: 'operator', id: null, name: 'operator', address: null },
  at: new Date(),
});
