export interface Mistake {
  name: string;
  find: string;
  put: string;
}

/** The exports of src/domain/checkout.ts, as a copy with a mistake has them. */
export type Decisions = typeof import('../../src/domain/checkout.ts');

export const plantedInDecisions: readonly Mistake[];
export function plant(text: string, mistake: Mistake): string;
export function decisionsWith(mistake: Mistake | null): Promise<Decisions>;
