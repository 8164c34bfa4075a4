import type { VersionedPayment } from '../../../src/domain/payment-versions.ts';
import type { TimelineAttempt } from '../../../src/domain/timeline/sources.ts';
import { type WaitingHistory, waitingNow } from '../../../src/domain/waiting-facts.ts';
import { partial } from '../../support/partial.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 2, 1, 12) + seconds * 1_000);

const payment = partial<VersionedPayment>({
  checkoutMode: 'custom',
  checkoutStatus: 'processing',
  status: 'pending',
  createdAt: at(0),
  changedAt: at(50),
  expiresAt: at(1_800),
  captureExpiresAt: at(600),
  finalizedAt: null,
  attemptsLeft: 5,
  version: 0,
  eventSeq: 1,
});
const attempt = partial<TimelineAttempt>({
  attemptNo: 1,
  status: 'processing',
  method: 'card',
  cardLast4: null,
  startedAt: at(50),
  claimedAt: at(51),
  firstUnknownAt: null,
  resolvedAt: null,
  prepared: false,
  simulated: false,
});
const historyOf = (fields: Partial<TimelineAttempt>): WaitingHistory => ({
  payment,
  versions: [],
  attempts: [{ ...attempt, ...fields }],
  refunds: [],
  disputes: [],
  cardAccepted: false,
  merchantActive: true,
  alertSince: null,
});
const whoAt = (seconds: number, fields: Partial<TimelineAttempt> = {}) =>
  waitingNow(historyOf(fields), at(seconds))?.who;

it('an attempt by card waits for the vault until it returned the card or sent it to a network that prepares charges', () => {
  expect(whoAt(53)).toBe('vault');
  expect(whoAt(53, { cardLast4: '4242' })).toBe('network');
  // The vault sends the card to Stripe, which returns its facts only with its answer.
  expect(whoAt(53, { prepared: true })).toBe('network');
  expect(whoAt(53, { simulated: true })).toBe('network');
  expect(whoAt(53, { firstUnknownAt: at(52) })).toBe('network');
});
