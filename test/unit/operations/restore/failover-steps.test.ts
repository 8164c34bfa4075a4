import { failoverSteps, mayHaveLostCommits } from '../../../../src/operations/restore/failover-steps.ts';

const nothing = {
  isUnseen: false,
  since: '2026-03-01T12:00:00.000Z',
  rowsOlderThan: [],
  missingPayments: [],
  missingRefunds: [],
  orphanCharges: [],
  openWithoutWorkflow: [],
};
const timeline = (timelineId: number) => ({ systemIdentifier: '7', timelineId });

describe('the steps after a failover', () => {
  it('are none when nothing is lost', () => {
    expect(failoverSteps(nothing)).toEqual([]);
  });

  it.each([
    [{ isUnseen: true }, /^Start a worker/],
    [{ missingPayments: ['a'] }, /^Write back .* --since 2026-03-01T12:00:00.000Z /],
    [{ missingRefunds: ['a'] }, /^Write back /],
    [{ rowsOlderThan: ['a'] }, /^Write back /],
    [{ orphanCharges: ['a'] }, /^Look at the charges/],
    [{ openWithoutWorkflow: ['a'] }, /^Nothing for openWithoutWorkflow/],
    [{ problems: ['a'] }, /^Run this command again/],
  ])('%j is one step', (found, step) => {
    expect(failoverSteps({ ...nothing, ...found })).toEqual([expect.stringMatching(step)]);
  });
});

describe('whether rows may have gone back', () => {
  const since = new Date('2026-03-01T12:00:00Z');
  const later = new Date('2026-03-01T12:00:01Z');

  it('is true on a timeline that no worker has seen, unless it is the first of all', () => {
    expect(mayHaveLostCommits({ before: timeline(1), isNew: true }, null, since)).toBe(true);
    expect(mayHaveLostCommits({ before: null, isNew: true }, null, since)).toBe(false);
  });

  it('is true where a worker recorded the timeline since then', () => {
    expect(mayHaveLostCommits({ before: timeline(2), isNew: false }, later, since)).toBe(true);
    expect(mayHaveLostCommits({ before: timeline(2), isNew: false }, since, later)).toBe(false);
    expect(mayHaveLostCommits({ before: timeline(1), isNew: false }, null, since)).toBe(false);
  });
});
