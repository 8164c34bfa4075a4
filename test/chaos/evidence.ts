import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Observations } from './observations.ts';
import type { Plan } from './plan.ts';
import type { Reconciliation } from './reconcile.ts';
import type { Unreplayable } from './replay-checks.ts';
import type { Violation } from './violation.ts';

const maxLogCharacters = 400_000;

/** The evidence about a schedule with a violation. */
export interface Evidence {
  plan: Plan;
  /** What the faults did, one line each. */
  actions: readonly string[];
  violations: readonly Violation[];
  observations: Observations;
  unreplayable: readonly Unreplayable[];
  /** Null where none was made. */
  reconciliation?: Reconciliation | null;
}

/** Writes the evidence into a directory named by the seed, and returns the directory. */
export function keepEvidence(keepIn: string, evidence: Evidence): string {
  const { plan, actions, violations, observations, unreplayable, reconciliation } = evidence;
  const place = join(keepIn, String(plan.seed));
  mkdirSync(place, { recursive: true });
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(place, name), `${JSON.stringify(value, null, 1)}\n`);
  const { history, logs, ledgers, workflows, putBack, capturedLate, terminated, ...others } = observations;
  const { canaries: _secrets, disputed, refundedElsewhere, movedDeadline, erased, ...rows } = others;
  write('violations.json', violations);
  write('plan.json', plan);
  write('actions.json', actions);
  if (reconciliation) write('reconciliation.json', reconciliation);
  write('history.json', history);
  write('rows.json', {
    ...rows,
    ledgers: Object.fromEntries(ledgers),
    workflows: Object.fromEntries(workflows),
    putBack: Object.fromEntries(putBack),
    capturedLate: [...capturedLate],
    disputed: [...disputed],
    terminated: [...terminated],
    refundedElsewhere: [...refundedElsewhere],
    movedDeadline: [...movedDeadline],
    erased: [...erased],
  });
  for (const { paymentId, history: ofWorkflow } of unreplayable)
    write(`workflow-${paymentId}.json`, ofWorkflow);
  for (const { name, text } of logs) writeFileSync(join(place, name), text.slice(-maxLogCharacters));
  return place;
}
