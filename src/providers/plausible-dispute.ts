import { DisputeUnreadable, type NetworkDispute } from './dispute-port.ts';

/** The highest amount that is stored, in cents. */
const maxAmountCents = 100_000_000;
/** The most that clocks may differ, in ms. */
const clocksDifferMs = 24 * 3_600_000;
/** The longest plausible time for evidence, in ms. */
const longestDueMs = 3 * 366 * 24 * 3_600_000;

/**
 * Returns the dispute if it is plausible. Throws `DisputeUnreadable` for amounts that cannot be stored, and
 * for a dispute that began in the future or is due only after years.
 */
export function plausibleDispute(dispute: NetworkDispute): NetworkDispute {
  const { amountCents, createdAt, evidenceDueAt } = dispute;
  if (!Number.isInteger(amountCents) || amountCents < 1 || amountCents > maxAmountCents) {
    throw new DisputeUnreadable('malformed');
  }
  const now = Date.now();
  const due = evidenceDueAt === null ? now : Date.parse(evidenceDueAt);
  if (Date.parse(createdAt) > now + clocksDifferMs || due > now + longestDueMs) {
    throw new DisputeUnreadable('future_instant');
  }
  return dispute;
}
