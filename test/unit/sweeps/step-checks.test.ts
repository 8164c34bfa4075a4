import { nextStepCheck } from '../../../src/sweeps/step-checks.ts';

const startedAt = new Date('2026-03-01T12:00:00.000Z');
const afterMinutes = (minutes: number): Date => new Date(startedAt.getTime() + minutes * 60_000);

it.each([
  [0, 1],
  [0.9, 1],
  [1, 5],
  [4.9, 5],
  [5, 15],
  [14, 15],
])(
  'an attempt that has waited %d min for its customer is checked %d min after it began',
  (waited, checked) => {
    expect(nextStepCheck(startedAt, afterMinutes(waited))).toEqual(afterMinutes(checked));
  },
);

it.each([15, 20, 30])('an attempt that has waited %d min for its customer is not checked again', (waited) => {
  expect(nextStepCheck(startedAt, afterMinutes(waited))).toBeNull();
});
