import {
  type DisputeMove,
  type DisputeRecord,
  type DisputeStage,
  type DisputeStatus,
  disputeMove,
  disputeStages,
  disputeStatuses,
  statusAfterDisputeClosed,
  statusAfterDisputeReopened,
} from '../../../src/domain/dispute.ts';
import { agendaAfterNewDeadline, disputeChores } from '../../../src/domain/dispute-agenda.ts';

/**
 * The order within one stage, deliberately written a second time. Rows are the known status, columns the
 * network's.
 */
const withinStage: Record<DisputeStatus, Record<DisputeStatus, DisputeMove>> = {
  needsResponse: { needsResponse: 'same', underReview: 'forward', won: 'forward', lost: 'forward' },
  underReview: { needsResponse: 'behind', underReview: 'same', won: 'forward', lost: 'forward' },
  won: { needsResponse: 'behind', underReview: 'behind', won: 'same', lost: 'behind' },
  lost: { needsResponse: 'behind', underReview: 'behind', won: 'reinstated', lost: 'same' },
};
const stageOrder: Record<DisputeStage, number> = { inquiry: 1, chargeback: 2, preArbitration: 3 };

const matrix = disputeStages.flatMap((knownStage) =>
  disputeStatuses.flatMap((knownStatus) =>
    disputeStages.flatMap((stage) =>
      disputeStatuses.map((status) => {
        const ahead = stageOrder[stage] - stageOrder[knownStage];
        const move = ahead === 0 ? withinStage[knownStatus][status] : ahead > 0 ? 'reopened' : 'behind';
        return [knownStage, knownStatus, stage, status, move] as const;
      }),
    ),
  ),
);

describe('the order of what the network says of a dispute', () => {
  it.each(matrix)('%s %s, then %s %s: %s', (knownStage, knownStatus, stage, status, move) => {
    expect(disputeMove({ stage: knownStage, status: knownStatus }, { stage, status })).toBe(move);
  });
});

describe('the payment of a dispute that moves on', () => {
  type End = Pick<DisputeRecord, 'status' | 'resolution'>;
  const reopened: End = { status: 'needsResponse', resolution: null };
  const won: End = { status: 'won', resolution: 'decided' };
  const lost: End = { status: 'lost', resolution: 'decided' };
  const withdrawn: End = { status: 'won', resolution: 'withdrawn' };

  it.each([
    ['paid', [reopened], 'disputed'],
    ['disputeWon', [reopened], 'disputed'],
    ['disputeLost', [reopened], 'disputed'],
    ['disputeLost', [reopened, lost], 'disputeLost'],
    ['refunded', [reopened], 'refunded'],
  ] as const)('%s, with disputes %j after a later stage began, is %s', (status, disputes, after) => {
    const payment = { status, amountCents: 1000, refundedCents: 0 };
    expect(statusAfterDisputeReopened(payment, disputes)).toBe(after);
  });

  it.each([
    [[won], 0, 'disputeWon'],
    [[won, lost], 0, 'disputeLost'],
    [[won, reopened], 0, 'disputed'],
    [[withdrawn], 0, 'paid'],
    [[withdrawn], 300, 'partiallyRefunded'],
    [[withdrawn], 1000, 'refunded'],
  ] as const)(
    'disputeLost, with disputes %j after funds were reinstated and %i refunded, is %s',
    (...row) => {
      const [disputes, refundedCents, after] = row;
      const payment = { status: 'disputeLost', amountCents: 1000, refundedCents } as const;
      expect(statusAfterDisputeClosed(payment, disputes)).toBe(after);
    },
  );
});

const hour = 3_600_000;

describe('the agenda of a stage', () => {
  const at = (hours: number): Date => new Date(hours * hour);

  it('begins with the stage: reminders before it count as past', () => {
    const dispute = {
      status: 'needsResponse',
      createdAt: at(0),
      reopenedAt: at(1_000),
      evidenceDueAt: at(1_048),
      submittedAt: null,
      reminded: [],
      autoSubmitted: false,
    } as const;
    expect(disputeChores({ ...dispute, reminded: [] }, at(1_000).getTime())).toEqual({
      remind: null,
      submit: null,
      nextAtMs: at(1_024).getTime(),
    });
    const opened = { ...dispute, reminded: [], reopenedAt: null };
    expect(disputeChores(opened, at(1_000).getTime())).toMatchObject({ remind: 72 });
  });

  it.each([
    ['later', 500, [], false],
    ['within two days', 148, [72], false],
    ['within half an hour', 100.5, [72, 24, 6], true],
  ] as const)('a deadline moved to %s repeats actions that are ahead again, and no past ones', (...row) => {
    const [, dueHours, reminded, autoSubmitted] = row;
    const dispute = { createdAt: at(0), reopenedAt: null, autoSubmitted: true };
    expect(agendaAfterNewDeadline(dispute, at(dueHours), at(100))).toEqual({ reminded, autoSubmitted });
  });
});
