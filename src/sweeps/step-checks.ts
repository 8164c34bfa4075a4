/** The ages at which an attempt that waits for its customer is checked, in ms; a trigger sets the first. */
const stepAgesMs = [60_000, 5 * 60_000, 15 * 60_000];

/** Returns when an attempt that waits for its customer is checked next; null after the last check. Pure. */
export function nextStepCheck(startedAt: Date, now: Date): Date | null {
  const ageMs = now.getTime() - startedAt.getTime();
  const nextAgeMs = stepAgesMs.find((age) => age > ageMs);
  return nextAgeMs === undefined ? null : new Date(startedAt.getTime() + nextAgeMs);
}
