import { type DisputeRecord, isClosedDispute } from './dispute.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Hours before the deadline at which the merchant is reminded. docs/refunds-and-disputes.md. */
export const reminderHours = [72, 24, 6] as const;

/** Days that are assumed for evidence when the network names no deadline. */
const assumedDays = 7;

/**
 * Returns the deadline that is assumed for a dispute whose network names none; `from`: its stage's beginning.
 */
export const assumedDueAt = (from: Date): Date => new Date(from.getTime() + assumedDays * dayMs);

/** Returns when the dispute's present stage began. */
export const stageBeganAt = ({
  createdAt,
  reopenedAt,
}: Pick<DisputeRecord, 'createdAt' | 'reopenedAt'>): Date => reopenedAt ?? createdAt;

/** The automatic steps of a dispute, in order: instants in epoch ms, none before its stage began. */
export interface DisputeAgenda {
  reminders: { hours: number; atMs: number }[];
  /**
   * When staged evidence is submitted automatically: an hour before the deadline, or half-way through a
   * shorter window.
   */
  autoSubmitAtMs: number;
  dueAtMs: number;
}

/** Returns the agenda of a dispute's stage. Pure; instants in epoch ms. docs/refunds-and-disputes.md. */
export function disputeAgenda(beganAtMs: number, dueAtMs: number): DisputeAgenda {
  const reminders = reminderHours
    .map((hours) => ({ hours, atMs: dueAtMs - hours * hourMs }))
    .filter(({ atMs }) => atMs > beganAtMs);
  const windowMs = dueAtMs - beganAtMs;
  const leadMs = windowMs > hourMs ? hourMs : windowMs / 2;
  return { reminders, autoSubmitAtMs: dueAtMs - leadMs, dueAtMs };
}

/**
 * Returns the steps of the agenda that count as done when an open stage's deadline moves. The event of the
 * change replaces past reminders, and the automatic submission is due again when its new instant is ahead.
 * Pure.
 */
export function agendaAfterNewDeadline(
  dispute: Pick<DisputeRecord, 'createdAt' | 'reopenedAt' | 'autoSubmitted'>,
  dueAt: Date,
  now: Date,
): Pick<DisputeRecord, 'reminded' | 'autoSubmitted'> {
  const nowMs = now.getTime();
  const agenda = disputeAgenda(stageBeganAt(dispute).getTime(), dueAt.getTime());
  return {
    reminded: agenda.reminders.filter(({ atMs }) => atMs <= nowMs).map(({ hours }) => hours),
    autoSubmitted: dispute.autoSubmitted && nowMs >= agenda.autoSubmitAtMs,
  };
}

/** The automatic steps that are due for an open dispute. */
export interface DisputeChores {
  /** The reminder to send, in hours before the deadline. */
  remind: number | null;
  /** Staged evidence must be submitted: it is due, or a submission began and was never confirmed. */
  submit: 'automatic' | 'begun' | null;
  /** When the next step is due, in epoch ms; null: none follows. */
  nextAtMs: number | null;
}

/**
 * Returns the automatic steps that are due for an open dispute. Of several missed reminders only the latest
 * is sent. Pure; docs/refunds-and-disputes.md.
 */
export function disputeChores(
  dispute: Pick<
    DisputeRecord,
    'status' | 'createdAt' | 'reopenedAt' | 'evidenceDueAt' | 'submittedAt' | 'reminded' | 'autoSubmitted'
  >,
  nowMs: number,
): DisputeChores {
  const { reminders, autoSubmitAtMs, dueAtMs } = disputeAgenda(
    stageBeganAt(dispute).getTime(),
    dispute.evidenceDueAt.getTime(),
  );
  if (dispute.status !== 'needsResponse' || nowMs >= dueAtMs) {
    return { remind: null, submit: null, nextAtMs: null };
  }
  const latest = reminders.findLast(({ atMs }) => atMs <= nowMs);
  const coming = [
    ...reminders.map(({ atMs }) => atMs),
    ...(dispute.autoSubmitted ? [] : [autoSubmitAtMs]),
  ].filter((atMs) => atMs > nowMs);
  return {
    remind: latest && !dispute.reminded.includes(latest.hours) ? latest.hours : null,
    submit:
      dispute.submittedAt !== null
        ? 'begun'
        : !dispute.autoSubmitted && nowMs >= autoSubmitAtMs
          ? 'automatic'
          : null,
    nextAtMs: coming.length > 0 ? Math.min(...coming) : null,
  };
}

/** A dispute's workflow is started this long before a step is due, in ms. */
const startedAheadMs = 60_000;
/** The run that reads a due step performs it. Another run takes over after this long, in ms. */
const takenOverAfterMs = 60_000;

/**
 * Returns when a dispute's workflow is next needed; null once the dispute is closed. Changes at the network
 * arrive through its list of changes and its callbacks. The checks of a dispute that only waits find the
 * changes that both missed. Pure.
 */
export function nextDisputeCheck(dispute: Parameters<typeof disputeChores>[0], now: Date): Date | null {
  if (isClosedDispute(dispute.status)) return null;
  const nowMs = now.getTime();
  const sinceMs = nowMs - (dispute.submittedAt ?? stageBeganAt(dispute)).getTime();
  const { remind, submit, nextAtMs } = disputeChores(dispute, nowMs);
  if (remind !== null || submit !== null) return new Date(nowMs + takenOverAfterMs);
  const latestMs = nowMs + Math.min(7 * dayMs, Math.max(hourMs, sinceMs));
  // A run that reads this waits for a near instant itself.
  const aheadMs =
    nextAtMs === null ? latestMs : Math.max(nextAtMs - startedAheadMs, nowMs + takenOverAfterMs);
  return new Date(Math.min(latestMs, aheadMs));
}
