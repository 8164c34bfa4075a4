import { randomUUID } from 'node:crypto';
import type { AttemptReference, Charge, ChargeRequest } from '../../src/providers/ports.ts';
import { until } from '../support/simulators.ts';
import { type CardNamed, dialectSubject, realSubject, simulatorSubject, type Subject } from './subjects.ts';

/**
 * The contract of every network, run on each. A new connector adds a subject; with STRIPE_SECRET_KEY (test
 * mode) the contract is also run on that account. docs/going-live.md.
 */
const secretKey = process.env['STRIPE_SECRET_KEY'];
const subjects: [string, () => Promise<Subject>][] = [
  ['the simulators', simulatorSubject],
  ['the Stripe dialect', dialectSubject],
];
if (secretKey) subjects.push(['a Stripe account in test mode', realSubject(secretKey)]);

describe.each(subjects)('%s', (name, open) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(() => subject.stop());
  const isReal = name.startsWith('a Stripe account');

  /** The attempt before any money can move: prepared, where the network prepares. */
  const prepared = async (card: CardNamed): Promise<ChargeRequest> => {
    const attempt = await subject.attempt(card);
    const made = await subject.network.prepare?.(attempt);
    if (made === undefined) return attempt;
    if (made.status !== 'prepared') throw new Error(`not prepared: ${made.status}`);
    return { ...attempt, providerReference: made.providerReference };
  };
  const charged = async (card: CardNamed): Promise<{ attempt: ChargeRequest; charge: Charge }> => {
    const attempt = await prepared(card);
    const charge = await subject.network.charge(attempt);
    if (charge === 'token_rejected') throw new Error('the token was rejected');
    return { attempt, charge };
  };
  const takenOf = async ({ paymentId }: AttemptReference): Promise<number | null> =>
    subject.taken && subject.taken(paymentId);
  const expectTaken = async (attempt: AttemptReference, times: number): Promise<void> => {
    const taken = await takenOf(attempt);
    if (taken !== null) expect(taken).toBe(times);
  };

  it('captures once, and finds the capture by a query', async () => {
    const { attempt, charge } = await charged('paid');
    const expected = { status: 'captured', amountCents: 2_500, currency: 'USD', key: attempt.key };
    expect(charge).toMatchObject({ ...expected, card: { brand: 'visa', last4: '4242' } });
    expect(await subject.network.lookup(attempt)).toMatchObject(expected);
    await expectTaken(attempt, 1);
  });

  it('returns null for a charge that was prepared and not sent', async () => {
    const attempt = await prepared('paid');
    expect(await subject.network.lookup(attempt)).toBeNull();
    await expectTaken(attempt, 0);
  });

  it('prepares the same object in a repeated call', async () => {
    const { prepare } = subject.network;
    if (prepare === null) return;
    const attempt = await subject.attempt('paid');
    expect(await prepare(attempt)).toEqual(await prepare(attempt));
  });

  it('captures once when the charge is repeated, at once or later', async () => {
    const attempt = await prepared('paid');
    const send = () => subject.network.charge(attempt).catch(() => null);
    await Promise.all([send(), send(), send()]);
    await send();
    const found = await until(async () => subject.network.lookup(attempt));
    expect(found.status).toBe('captured');
    await expectTaken(attempt, 1);
  });

  it('finds the outcome of a charge whose answer was lost', async () => {
    if (isReal) return;
    const attempt = await prepared('answerLost');
    await expect(subject.network.charge(attempt)).rejects.toMatchObject({
      name: 'ProviderUnavailable',
      sent: true,
    });
    expect(await subject.network.lookup(attempt)).toMatchObject({ status: 'captured' });
    await expectTaken(attempt, 1);
  });

  it.each([
    ['declined', 'declined', 'card_declined'],
    ['lost', 'failed', 'lost_card'],
  ] as const)('reports that a card that is %s %s', async (card, status, failureCode) => {
    const { attempt, charge } = await charged(card);
    expect(charge).toMatchObject({ status, failureCode });
    expect(await subject.network.lookup(attempt)).toMatchObject({ status, failureCode });
    await expectTaken(attempt, 0);
  });

  it('can guarantee that an unsent charge is never made', async () => {
    const attempt = await prepared('paid');
    const { unseenKeys } = subject.network;
    if (unseenKeys.closedBy === 'horizon') return;
    expect(await unseenKeys.close(attempt)).toMatchObject({ status: 'voided' });
    const late = await subject.network.charge(attempt).catch(() => 'refused');
    expect(late === 'refused' || (typeof late === 'object' && late.status === 'voided')).toBe(true);
    await expectTaken(attempt, 0);
  });

  it('returns the capture when it is asked to close a captured charge', async () => {
    const { attempt } = await charged('paid');
    const { unseenKeys } = subject.network;
    if (unseenKeys.closedBy === 'horizon') return;
    expect(await unseenKeys.close(attempt)).toMatchObject({ status: 'captured' });
  });

  it('closes a declined charge so that it cannot succeed later', async () => {
    if (!subject.network.declinesStayOpen) return;
    const { attempt } = await charged('declined');
    const closed = await subject.network.cancel(attempt);
    expect(['voided', 'declined']).toContain(closed.status);
    await expect(subject.network.charge({ ...attempt, key: `${attempt.key}9` })).rejects.toMatchObject({
      name: 'ProviderUnavailable',
    });
    await expectTaken(attempt, 0);
  });

  it('asks for a step of the customer, which ends when it is canceled', async () => {
    const { attempt, charge } = await charged('challenge');
    expect(charge).toMatchObject({ status: 'requires_action', stepDone: false });
    expect(charge.action).toMatchObject({
      kind: 'threeDS',
      url: expect.stringMatching(/^https?:/) as string,
    });
    expect(await subject.network.cancel(attempt)).toMatchObject({ status: 'voided' });
    await expectTaken(attempt, 0);
  });

  it('challenges a card that needs no challenge only when it is asked to', async () => {
    expect((await charged('challengeIfAsked')).charge).toMatchObject({ status: 'captured' });
    const attempt = { ...(await prepared('challengeIfAsked')), forceChallenge: true } as const;
    expect(await subject.network.charge(attempt)).toMatchObject({
      status: 'requires_action',
      action: { kind: 'threeDS' },
    });
    await expectTaken(attempt, 0);
  });

  it.each([
    ['approve', 'captured', 1],
    ['fail', 'declined', 0],
  ] as const)('decides the step that the customer answers with %s', async (button, status, times) => {
    if (!subject.answerStep) return;
    const { attempt, charge } = await charged('challenge');
    await subject.answerStep(charge.action?.kind === 'threeDS' ? charge.action.url : '', button);
    expect(await subject.network.confirm(attempt)).toMatchObject({ status });
    expect(await subject.network.confirm(attempt)).toMatchObject({ status });
    await expectTaken(attempt, times);
  });

  it('refunds once under one key, and finds the refund again', async () => {
    const { attempt } = await charged('paid');
    const refund = {
      key: randomUUID(),
      paymentId: attempt.paymentId,
      chargeKey: attempt.key,
      chargeReference: attempt.providerReference,
      amountCents: 1_000,
    };
    expect(await subject.refunds.lookupRefund(refund)).toBeNull();
    const made = await subject.refunds.refund(refund);
    expect(made).toMatchObject({ key: refund.key, amountCents: 1_000 });
    expect(await subject.refunds.refund(refund)).toMatchObject({ key: refund.key });
    expect(await subject.refunds.lookupRefund(refund)).toMatchObject({ key: refund.key, amountCents: 1_000 });
    // More than the remaining amount is refused permanently, and nothing is recorded under its key.
    const tooMuch = { ...refund, key: randomUUID(), amountCents: 2_000 };
    expect(await subject.refunds.refund(tooMuch)).toBe('refused');
    const { voidRefund } = subject.refunds;
    // Closed, or refused as often as it is sent.
    const closed = voidRefund ? (await voidRefund(tooMuch)).status : await subject.refunds.refund(tooMuch);
    expect(closed).toBe(voidRefund ? 'failed' : 'refused');
    expect(await subject.refunds.lookupRefund(refund)).toMatchObject({ amountCents: 1_000 });
  });

  it('lists refunds that were made at the provider', async () => {
    const { elsewhere } = subject.refunds;
    if (elsewhere === null || subject.refundElsewhere === null) return;
    const before = (await elsewhere.listNewRefunds(null)).cursor;
    const { attempt } = await charged('paid');
    const charge = attempt.providerReference ?? '';
    const ours = { paymentId: attempt.paymentId, chargeKey: attempt.key, chargeReference: charge };
    const key = randomUUID();
    await subject.refunds.refund({ ...ours, key, amountCents: 400 });
    const reference = await subject.refundElsewhere(charge, 600);

    const page = await elsewhere.listNewRefunds(before);
    expect(page.refunds).toContainEqual({ reference, key: null, chargeReference: charge });
    expect(page.refunds).toContainEqual(expect.objectContaining({ key, chargeReference: charge }));
    expect(await elsewhere.listNewRefunds(page.cursor)).toEqual({
      refunds: [],
      cursor: page.cursor,
      more: false,
    });
    // Of the refunds behind the newest one ours, made a moment before it, is listed again.
    expect(await elsewhere.listRefundsBehind(page.cursor ?? '', new Date())).toContainEqual(
      expect.objectContaining({ key, chargeReference: charge }),
    );
    const found = await elsewhere.refundsOf(charge);
    expect(found.toSorted((a, b) => a.amountCents - b.amountCents)).toMatchObject([
      { key, amountCents: 400, status: 'succeeded' },
      { key: null, reference, amountCents: 600, status: 'succeeded', reason: 'requestedByCustomer' },
    ]);
  });

  it('lists a dispute among its changes, and accepts evidence once', async () => {
    const { attempt } = await charged('disputed');
    const found = await until(async () => {
      const { disputes } = await subject.disputes.listDisputeChanges(null);
      return disputes.find(({ paymentId }) => paymentId === attempt.paymentId);
    });
    expect(found).toMatchObject({ status: 'needsResponse', chargeReference: attempt.providerReference });
    const read = await subject.disputes.readDispute(found.disputeId);
    expect(read).toMatchObject({ amountCents: 2_500 });
    const evidence = { productDescription: 'A book', note: 'It was delivered.' };
    const answered = await subject.disputes.submitEvidence(found.disputeId, 'key-of-this', evidence);
    expect(answered).not.toBe('refused');
    expect(await subject.disputes.readDispute('dp_of_another_account')).toBeNull();
  });
});
