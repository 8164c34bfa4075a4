import { check } from './checker.ts';
import type { Call } from './history.ts';
import type { Observations } from './observations.ts';

const id = '01a1fd82-7976-7357-bfd1-90bd28c66047';

const call = (op: string, startedAtMs: number, fields: Partial<Call>): Call => ({
  client: 0,
  op,
  paymentId: id,
  key: null,
  startedAtMs,
  endedAtMs: startedAtMs + 10,
  result: 'ok',
  status: 200,
  code: null,
  retryAfter: null,
  data: null,
  items: [],
  text: '',
  ...fields,
});

/** A timeline read that returned the role that the payment waited for. */
const waitedFor = (startedAtMs: number, who: string | null, status = 'pending'): Call =>
  call('timeline', startedAtMs, {
    data: {
      payment: { status },
      waitingFor: who === null ? null : { who, since: '', until: null },
      entries: [{ at: '', kind: 'payment.created' }],
    },
  });
const atRest = call('status', -220, { data: { status: 'open', attemptsLeft: 5 } });

/** Adds a status with an open step, then a timeline that waits for the network; the attempt `became` that. */
const inStep = (observed: Observations, became: string): void => {
  Object.assign(observed.attempts[1] ?? {}, { status: became, hasAction: true, endedAtMs: 900 });
  observed.history.push(
    call('status', 320, { data: { status: 'requiresAction', attemptsLeft: 4 } }),
    waitedFor(340, 'network', 'requiresAction'),
  );
};

const access = (secret: string) => ({ url: 'http://vault', secret, reference: 'reference' });

const refundId = '01a1fd82-1111-7357-bfd1-90bd28c66047';
const disputeId = '01a1fd82-2222-7357-bfd1-90bd28c66047';

const event = (sequence: number, type: string, previousStatus: string | null, objectId: string) => ({
  id: `evt_${sequence}`,
  paymentId: id,
  sequence,
  type,
  previousStatus,
  objectId,
  isLate: false,
});

const movement = (
  type: string,
  amountCents: number,
  of: Partial<Record<'providerReference' | 'refundId' | 'disputeId', string>>,
) => ({
  paymentId: id,
  type,
  amountCents,
  providerReference: null,
  refundId: null,
  disputeId: null,
  ...of,
});

/** A charge of attempt `no` in the network's ledger, captured at 350 if it was captured. */
const chargeOf = (no: number, status: string) => ({
  chargeId: `ch_${no}`,
  attemptId: `${id}:${no}`,
  amountCents: 2500,
  status,
  createdAt: new Date(100).toISOString(),
  capturedAt: status === 'captured' ? new Date(350).toISOString() : null,
});

const moved = { amountCents: 2500, stage: 'chargeback' };

/**
 * A payment without violations. It was created twice with one key, declined once, then paid. Part of it was
 * refunded under one key that was sent twice. It was disputed and won. Each change has one event, and the
 * first event was delivered twice.
 */
const wellObserved = (): Observations => ({
  payments: [
    {
      id,
      status: 'disputeWon',
      amountCents: 2500,
      refundedCents: 1000,
      checkoutStatus: 'paid',
      attemptsLeft: 4,
      isFinal: true,
      expiresAtMs: 10_000,
      captureExpiresAtMs: 8_000,
      confirmsSteps: false,
      finalAtMs: 400,
    },
  ],
  attempts: [
    {
      paymentId: id,
      attemptNo: 1,
      status: 'declined',
      startedAtMs: 100,
      claimedAtMs: 101,
      hasAction: false,
      answer: 'declined',
      endedAtMs: 200,
    },
    {
      paymentId: id,
      attemptNo: 2,
      status: 'paid',
      startedAtMs: 300,
      claimedAtMs: 301,
      hasAction: false,
      answer: 'captured',
      endedAtMs: 400,
    },
  ],
  events: [
    event(1, 'payment.paid', 'pending', id),
    event(2, 'refund.created', null, refundId),
    event(3, 'payment.partiallyRefunded', 'paid', id),
    event(4, 'refund.succeeded', 'pending', refundId),
    event(5, 'dispute.created', null, disputeId),
    event(6, 'payment.disputed', 'partiallyRefunded', id),
    event(7, 'dispute.won', 'needsResponse', disputeId),
    event(8, 'payment.disputeWon', 'disputed', id),
  ],
  keys: [
    { key: 'k', resourceId: id },
    { key: 'r', resourceId: refundId },
    { key: 'd', resourceId: '01a1fd82-0000-7357-bfd1-90bd28c66047' },
  ],
  refunds: [
    {
      id: refundId,
      paymentId: id,
      reference: null,
      amountCents: 1000,
      status: 'succeeded',
      isOfLateSuccess: false,
    },
  ],
  disputes: [
    {
      id: disputeId,
      paymentId: id,
      reference: 'dp_1',
      status: 'won',
      resolution: 'decided',
      evidenceDueAtMs: 0,
      ...moved,
    },
  ],
  movements: [
    movement('captured', 2500, { providerReference: `${id}:2` }),
    movement('refunded', -1000, { refundId }),
    movement('disputed', -2500, { disputeId }),
    movement('dispute_won', 2500, { disputeId }),
  ],
  ledgerRefunds: [
    {
      refundId: 're_1',
      key: refundId,
      paymentId: id,
      amountCents: 1000,
      status: 'succeeded',
      failureCode: null,
    },
  ],
  keepsRefusedRefunds: true,
  sentCharges: new Map([1, 2].map((no) => [`${id}:${no}`, 1])),
  networkDisputes: [
    { disputeId: 'dp_1', paymentId: id, reason: 'productNotReceived', status: 'won', ...moved },
  ],
  secrets: [],
  alerted: [],
  idle: [],
  history: [
    atRest,
    waitedFor(-200, 'customer'),
    call('create', 0, { key: 'k', status: 201, data: { id }, text: 'same' }),
    call('create', 20, { key: 'k', status: 201, data: { id }, text: 'same' }),
    call('capture', 40, { data: { capture: access('capture-secret') } }),
    call('status', 210, { data: { status: 'failed_retryable', attemptsLeft: 4 } }),
    call('pay', 300, { data: { status: 'paid' } }),
    call('status', 410, { data: { status: 'paid', attemptsLeft: 4 } }),
    call('read', 430, { data: { status: 'paid', amountCents: 2500, currency: 'USD' } }),
    call('refund', 500, { key: 'r', status: 201, data: { id: refundId }, text: 'refund' }),
    call('refund', 520, { key: 'r', status: 201, data: { id: refundId }, text: 'refund' }),
    call('dispute', 540, { key: 'd', status: 201, data: { id: disputeId }, text: 'dispute' }),
    call('read', 560, { data: { status: 'disputeWon', amountCents: 2500, currency: 'USD' } }),
  ],
  ledgers: new Map([[id, [chargeOf(1, 'declined'), chargeOf(2, 'captured')]]]),
  workflows: new Map([[id, 'COMPLETED']]),
  stuckRuns: [],
  putBack: new Map(),
  capturedLate: new Set(),
  disputed: new Set(),
  terminated: new Set(),
  refundedElsewhere: new Set(),
  movedDeadline: new Set(),
  erased: new Set(),
  received: [1, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ id: `evt_${n}`, body: id, valid: true })),
  logs: [{ name: 'api-1.log', text: '{"route":"/v1/payments"}' }],
  canaries: ['capture-secret'],
});

const payment = (observed: Observations) => observed.payments[0] ?? {};
const charges = (observed: Observations) => observed.ledgers.get(id) ?? [];
const given = (observed: Observations) => observed.ledgerRefunds[0] ?? {};
const refundRow = (observed: Observations) => observed.refunds[0] ?? {};

it('finds no violation in a correct payment', () => {
  expect(check(wellObserved())).toEqual([]);
});

it('accepts a page that showed a closed checkout, and paid after a late success', () => {
  const observed = wellObserved();
  for (const [index, status] of ['open', 'processing', 'step', 'closed', 'paid'].entries())
    observed.history.push(call('page', 300 + index * 20, { data: { status } }));
  expect(check(observed)).toEqual([]);
});

it('accepts outcomes that the SDK recovered', () => {
  const observed = wellObserved();
  for (const status of ['declined', 'unknown', 'paid'])
    observed.history.push(call('outcome', 600, { data: { status } }));
  expect(check(observed)).toEqual([]);
});

it('accepts a step that is confirmed between two answers as waiting for the network', () => {
  const observed = wellObserved();
  inStep(observed, 'paid');
  expect(check(observed).map((each) => each.invariant)).not.toContain('I24');
});

it('accepts a capture after a decline that is in an alert', () => {
  const observed = wellObserved();
  Object.assign(charges(observed)[0] ?? {}, { status: 'captured' });
  observed.capturedLate.add(`${id}:1`);
  observed.alerted.push({ paymentId: id });
  observed.movements.push(movement('late', 2500, { providerReference: `${id}:1` }));
  expect(check(observed)).toEqual([]);
});

/** Adds a refund that was made at the network, and its row, events and movement. */
const refundElsewhere = (observed: Observations): void => {
  const [refund] = observed.ledgerRefunds;
  const elsewhereId = '01a1fd82-3333-8357-afd1-90bd28c66047';
  observed.refundedElsewhere.add('elsewhere');
  observed.ledgerRefunds.push({ ...refund!, refundId: 're_2', key: 'elsewhere', amountCents: 500 });
  observed.refunds.push({
    id: elsewhereId,
    paymentId: id,
    reference: 're_2',
    amountCents: 500,
    status: 'succeeded',
    isOfLateSuccess: false,
  });
  Object.assign(payment(observed), { refundedCents: 1500 });
  observed.movements.push(movement('refunded', -500, { refundId: elsewhereId }));
  observed.events.push(event(9, 'refund.succeeded', 'pending', elsewhereId));
  observed.received.push({ id: 'evt_9', body: id, valid: true });
};

it('accepts the fee of a charge', () => {
  const observed = wellObserved();
  observed.movements.push(movement('fee', -30, { providerReference: 'txn_1' }));
  expect(check(observed)).toEqual([]);
});

it('accepts a refund that was made at the network and has a row', () => {
  const observed = wellObserved();
  refundElsewhere(observed);
  expect(check(observed)).toEqual([]);
});

it('accepts that a refund made at the network has no row when it failed', () => {
  const observed = wellObserved();
  observed.refundedElsewhere.add('elsewhere');
  observed.ledgerRefunds.push({
    ...observed.ledgerRefunds[0]!,
    ...{ refundId: 're_2', key: 'elsewhere', status: 'failed' },
  });
  expect(check(observed)).toEqual([]);
});

it.each(['TERMINATED', 'MISSING'])('accepts that a run of a final payment is %s by the harness', (state) => {
  const observed = wellObserved();
  observed.workflows.set(id, state);
  observed.terminated.add(id);
  expect(check(observed)).toEqual([]);
});

it('accepts a charge that was sent twice because the rows that recorded it were put back', () => {
  const observed = wellObserved();
  observed.sentCharges = new Map([[`${id}:2`, 2]]);
  observed.putBack.set(id, -500);
  expect(check(observed)).toEqual([]);
});

it('accepts an earlier state after the rows were put back, and no event of it twice', () => {
  const observed = wellObserved();
  observed.history.unshift(call('status', -900, { data: { status: 'paid', attemptsLeft: 4 } }));
  observed.putBack.set(id, -500);
  expect(check(observed)).toEqual([]);
});

it('accepts what the sandbox and an erasure change of one payment only', () => {
  const observed = wellObserved();
  const begunLate = (): unknown =>
    Object.assign(payment(observed), { expiresAtMs: -2_000, captureExpiresAtMs: -2_000 });
  const deliverOther = (): unknown =>
    observed.received.push({ id: 'evt_1', body: `${id} erased`, valid: true });
  begunLate();
  deliverOther();
  expect(check(observed).map(({ invariant }) => invariant)).toEqual(expect.arrayContaining(['I16', 'I10']));
  observed.movedDeadline.add(id);
  observed.erased.add(id);
  expect(check(observed)).toEqual([]);
});

it('accepts a refund that no key made, if the service made it for a late success', () => {
  const observed = wellObserved();
  refundElsewhere(observed);
  observed.refundedElsewhere.clear();
  Object.assign(observed.ledgerRefunds.at(-1) ?? {}, { key: observed.refunds.at(-1)?.id });
  expect(check(observed).map(({ invariant }) => invariant)).toContain('I22');
  Object.assign(observed.refunds.at(-1) ?? {}, { isOfLateSuccess: true });
  expect(check(observed)).toEqual([]);
});

it('accepts the refusal of a key with another body', () => {
  const observed = wellObserved();
  const refusal = { result: 'fail', status: 409, code: 'idempotency_key_reused' } as const;
  observed.history.push(call('reuseKey', 500, { ...refusal, key: 'k' }));
  expect(check(observed)).toEqual([]);
});

it.each<[string, string, (observed: Observations) => void]>([
  [
    'I1',
    'two captured charges',
    (observed) => Object.assign(charges(observed)[0] ?? {}, { status: 'captured' }),
  ],
  [
    'I2',
    'a 201 without a row',
    (observed) => observed.history.push(call('create', 500, { key: 'l', data: { id: 'x' } })),
  ],
  ['I2', 'a charge without a record', (observed) => observed.attempts.shift()],
  [
    'I3',
    'money taken, payment pending',
    (observed) => Object.assign(payment(observed), { status: 'pending' }),
  ],
  ['I3', 'another amount', (observed) => Object.assign(charges(observed)[1] ?? {}, { amountCents: 2501 })],
  [
    'I4',
    'attempts that overlap',
    (observed) => Object.assign(observed.attempts[0] ?? {}, { endedAtMs: 350 }),
  ],
  ['I6', 'a replay that differs', (observed) => Object.assign(observed.history[3] ?? {}, { text: 'other' })],
  ['I6', 'a payment no key made', (observed) => observed.keys.shift()],
  [
    'I6',
    'a key that was accepted with another body',
    (observed) => observed.history.push(call('reuseKey', 500, { key: 'k', data: { id } })),
  ],
  [
    'I6',
    'a replayed refund that differs',
    (observed) => Object.assign(observed.history[10] ?? {}, { text: 'other' }),
  ],
  [
    'I7',
    'a closed checkout seen open again',
    (observed) => observed.history.push(call('status', 600, { data: { status: 'open', attemptsLeft: 4 } })),
  ],
  [
    'I7',
    'a page that showed paid, then open',
    (observed) =>
      observed.history.push(
        call('page', 600, { data: { status: 'paid' } }),
        call('page', 620, { data: { status: 'open' } }),
      ),
  ],
  ['I8', 'a decline that used two', (observed) => Object.assign(payment(observed), { attemptsLeft: 3 })],
  [
    'I9',
    'capture access that changed',
    (observed) => observed.history.push(call('capture', 60, { data: { capture: access('other') } })),
  ],
  [
    'I9',
    'card fields with another key',
    (observed) =>
      observed.history.push(
        call('fields', 60, { data: { capture: access('one') } }),
        call('fields', 80, { data: { capture: access('other') } }),
      ),
  ],
  ['I9', 'a secret kept', (observed) => observed.secrets.push({ paymentId: id })],
  ['I10', 'no event', (observed) => observed.events.pop()],
  ['I10', 'an event never delivered', (observed) => observed.received.splice(0)],
  ['I10', 'a wrong signature', (observed) => Object.assign(observed.received[0] ?? {}, { valid: false })],
  [
    'I11',
    'a delivery of nothing',
    (observed) => observed.received.push({ id: 'evt_99', body: id, valid: true }),
  ],
  [
    'I12',
    'a secret in a log',
    (observed) => observed.logs.push({ name: 'worker', text: 'x capture-secret' }),
  ],
  [
    'I14',
    'an amount that changed',
    (observed) =>
      observed.history.push(call('read', 600, { data: { status: 'paid', amountCents: 1, currency: 'USD' } })),
  ],
  [
    'I16',
    'an attempt after the end',
    (observed) => Object.assign(payment(observed), { expiresAtMs: -5_000 }),
  ],
  [
    'I16',
    'an attempt that was claimed after the deadline',
    (observed) => Object.assign(observed.attempts[1] ?? {}, { claimedAtMs: 10_600, endedAtMs: 10_700 }),
  ],
  [
    'I16',
    'an attempt that was made after the paid one',
    (observed) =>
      observed.attempts.push({
        ...observed.attempts[1]!,
        ...{ attemptNo: 3, status: 'released', answer: 'not_sent', claimedAtMs: null, startedAtMs: 600 },
      }),
  ],
  [
    'I17',
    'a final payment whose checkout is open',
    (observed) => Object.assign(payment(observed), { checkoutStatus: 'failed_retryable' }),
  ],
  ['I17', 'a payment left open', (observed) => Object.assign(payment(observed), { isFinal: false })],
  [
    'I17',
    'an attempt left behind by the end',
    (observed) => Object.assign(observed.attempts[1] ?? {}, { endedAtMs: 1_900 }),
  ],
  ['I17', 'a workflow left open', (observed) => observed.workflows.set(id, 'RUNNING')],
  ['I17', 'a workflow that was ended', (observed) => observed.workflows.set(id, 'TERMINATED')],
  [
    'I2',
    'a refund that was promised and is not there',
    (observed) => observed.history.push(call('refund', 600, { key: 's', data: { id: 'x' } })),
  ],
  ['I17', 'a refund left pending', (observed) => Object.assign(refundRow(observed), { status: 'pending' })],
  [
    'I22',
    'money given back twice',
    (observed) => observed.ledgerRefunds.push({ ...observed.ledgerRefunds[0]!, key: 'x' }),
  ],
  [
    'I22',
    'a refund made at the network without a row',
    (observed) => {
      refundElsewhere(observed);
      observed.refunds.pop();
    },
  ],
  [
    'I22',
    'a row of a refund made at the network that no harness made',
    (observed) => {
      refundElsewhere(observed);
      observed.refundedElsewhere.clear();
    },
  ],
  [
    'I22',
    'a refund that failed and was given',
    (observed) => Object.assign(refundRow(observed), { status: 'failed' }),
  ],
  [
    'I22',
    'a refund that was canceled and given',
    (observed) => Object.assign(refundRow(observed), { status: 'canceled' }),
  ],
  ['I22', 'a refund that was not made at the network', (observed) => observed.ledgerRefunds.splice(0)],
  ['I22', 'a refund of another amount', (observed) => Object.assign(given(observed), { amountCents: 999 })],
  ['I22', 'a sum that is wrong', (observed) => Object.assign(payment(observed), { refundedCents: 0 })],
  [
    'I22',
    'two refunds for one key',
    (observed) => {
      observed.refunds.push({ ...observed.refunds[0]!, id: 'y' });
      observed.ledgerRefunds.push({ ...observed.ledgerRefunds[0]!, key: 'y' });
    },
  ],
  [
    'I22',
    'a status refunds do not give',
    (observed) => Object.assign(payment(observed), { status: 'refunded' }),
  ],
  ['I23', 'a dispute without a record', (observed) => observed.disputes.pop()],
  [
    'I23',
    'a dispute decided otherwise',
    (observed) => Object.assign(observed.networkDisputes[0] ?? {}, { status: 'lost' }),
  ],
  [
    'I23',
    'disputed without a dispute',
    (observed) => Object.assign(payment(observed), { status: 'disputed' }),
  ],
  [
    'I24',
    'a pending payment that waits for no one',
    (observed) => observed.history.push(waitedFor(320, null)),
  ],
  ['I24', 'one that waits for a stranger', (observed) => observed.history.push(waitedFor(320, 'merchant'))],
  ['I24', 'an operator without an alert', (observed) => observed.history.push(waitedFor(320, 'operator'))],
  [
    'I24',
    'the customer, while the network is asked',
    (observed) => {
      Object.assign(observed.attempts[1] ?? {}, { endedAtMs: 900 });
      observed.history.push(waitedFor(500, 'customer'));
    },
  ],
  [
    'I24',
    'the network, while nothing is out',
    (observed) => Object.assign(observed.history[1] ?? {}, waitedFor(-200, 'network')),
  ],
  ['I24', 'the network, in a step that is never taken', (observed) => inStep(observed, 'voided')],
  [
    'I24',
    'a story that does not begin',
    (observed) => Object.assign(observed.history[1]?.data ?? {}, { entries: [] }),
  ],
  [
    'I23',
    'a dispute that stayed an inquiry',
    (observed) => Object.assign(observed.disputes[0] ?? {}, { stage: 'inquiry' }),
  ],
  [
    'I23',
    'a dispute whose amount moved',
    (observed) => Object.assign(observed.disputes[0] ?? {}, { amountCents: 2400 }),
  ],
  [
    'I25',
    'a capture after a decline that is in no row and no alert',
    (observed) => {
      Object.assign(charges(observed)[0] ?? {}, { status: 'captured' });
      observed.capturedLate.add(`${id}:1`);
    },
  ],
  [
    'I26',
    'money that was taken in time and is called late',
    (observed) => Object.assign(observed.events[0] ?? {}, { isLate: true }),
  ],
  [
    'I27',
    'a refund whose run is stuck',
    (observed) => observed.stuckRuns.push({ workflowId: `refund-${refundId}`, tries: 9 }),
  ],
  [
    'I27',
    'an open payment without a run',
    (observed) => {
      Object.assign(payment(observed), { isFinal: false });
      observed.workflows.set(id, 'MISSING');
    },
  ],
  [
    'I28',
    'an outcome that is not the end of the payment',
    (observed) => observed.history.push(call('outcome', 600, { data: { status: 'expired' } })),
  ],
  [
    'I28',
    'a final payment that the SDK cannot recover',
    (observed) => observed.history.push(call('outcome', 600, { data: { status: 'unknown' } })),
  ],
  [
    'I9',
    'a card refused within its window',
    (observed) => observed.history.push(call('card', 60, { result: 'unknown', text: 'refused' })),
  ],
  [
    'I30',
    'a charge that was sent twice',
    (observed) => {
      observed.sentCharges = new Map([[`${id}:2`, 2]]);
    },
  ],
  [
    'I31',
    'a paid attempt whose stored answer is another',
    (observed) => Object.assign(observed.attempts[1] ?? {}, { answer: 'requires_action' }),
  ],
  ['I29', 'money that is in no movement', (observed) => observed.movements.shift()],
  [
    'I29',
    'money that is in two movements',
    (observed) =>
      observed.movements.push(
        ...['captured', 'refunded'].map((type) =>
          movement(type, 0, { refundId, providerReference: `${id}:2` }),
        ),
      ),
  ],
  [
    'I29',
    'a fee that is in two movements',
    (observed) =>
      observed.movements.push(...[1, 2].map(() => movement('fee', -30, { providerReference: 'txn_1' }))),
  ],
  ['I29', 'a refund that is in no movement', (observed) => observed.movements.splice(1, 1)],
  ['I29', 'a dispute that returned nothing', (observed) => observed.movements.pop()],
  ['I18', 'an idle transaction', (observed) => observed.idle.push({ pid: 1 })],
  [
    'I21',
    'an answer that is not specified',
    (observed) => observed.history.push(call('pay', 600, { result: 'fail', status: 500, code: null })),
  ],
  [
    'I21',
    'a 503 without Retry-After',
    (observed) =>
      observed.history.push(
        call('pay', 600, { result: 'unknown', status: 503, code: 'service_unavailable' }),
      ),
  ],
])('%s: the checker sees %s', (invariant, _what, breakIt) => {
  const observed = wellObserved();
  breakIt(observed);
  expect(check(observed).map((each) => each.invariant)).toContain(invariant);
});
