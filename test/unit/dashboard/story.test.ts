import { shortStory, type StorySource, storyLines } from '../../../src/dashboard/payments/story.ts';
import type { TimelineEntry } from '../../../src/domain/timeline/draft-entry.ts';

let second = 0;
const entry = (kind: string, detail: TimelineEntry['detail'] = {}): TimelineEntry => ({
  at: new Date(Date.UTC(2030, 2, 14, 10, 0, second++)).toISOString(),
  kind,
  title: `title of ${kind}`,
  detail,
});

const payment = { amountCents: 4_250, checkoutMode: 'hosted' } as const;
const attempt = { attemptNo: 1, method: 'card', cardBrand: 'visa', cardLast4: '9995' };
const refunds = [
  { id: 'r1', providerReference: null },
  { id: 'r2', providerReference: 're_2' },
];

/** Returns a source with entries in the order from oldest to newest. */
const source = (...entries: TimelineEntry[]): StorySource => ({
  payment,
  entries: entries.toReversed(),
  attempts: [attempt],
  refunds,
  refundMembers: { r1: 'Ada' },
  linkId: null,
  deliveries: [],
  endpointUrls: { e1: 'https://shop.example/hooks', e2: 'https://stock.example/hooks' },
});

const written = (lines: ReturnType<typeof shortStory>): [title: string, note: string | null][] =>
  lines.map(({ title, note }) => [title, note]);

const delivery = (kind: 'delivered' | 'failed', endpointId: string, eventId = 'evt_1') =>
  entry(`webhook.${kind}`, {
    eventId,
    endpointId,
    type: 'payment.paid',
    attemptNo: 1,
    statusCode: kind === 'failed' ? 500 : 200,
  });

describe('the story of a payment', () => {
  it('lists what happened, with what, why and by whom, newest first', () => {
    const lines = shortStory(
      source(
        entry('payment.created'),
        entry('checkout.opened'),
        entry('attempt.started', { attemptNo: 1, method: 'card' }),
        entry('attempt.declined', { attemptNo: 1, method: 'card', failureCode: 'insufficient_funds' }),
        entry('payment.pending'),
        entry('attempt.started', { attemptNo: 2, method: 'pix' }),
        entry('attempt.paid', { attemptNo: 2, method: 'pix' }),
        entry('payment.paid', { method: 'pix' }),
        entry('refund.created', { refundId: 'r1', amountCents: 100 }),
        entry('refund.succeeded', { refundId: 'r1', amountCents: 100 }),
        entry('payment.partiallyRefunded'),
        entry('refund.created', { refundId: 'r2', amountCents: 200 }),
        entry('dispute.created', { disputeId: 'd1', amountCents: 4_250, reason: 'fraudulent' }),
        entry('payment.disputed'),
      ),
    );
    expect(written(lines)).toEqual([
      ['The customer disputed $42.50', 'Fraudulent'],
      ['Refund of $2.00 requested', "In the payment provider's dashboard"],
      ['$1.00 refunded', null],
      ['Refund of $1.00 requested', 'By Ada'],
      ['Paid with Pix', null],
      ['The customer tried to pay with Pix', 'Attempt 2'],
      ['Declined: insufficient funds', 'Visa\u00a0··\u00a09995, attempt 1'],
      ['The customer tried to pay with Visa\u00a0··\u00a09995', 'Attempt 1'],
      ['The customer opened the checkout page', null],
      ['Payment of $42.50 created', 'Through the API, for the checkout page'],
    ]);
    expect(lines.map(({ tone }) => tone)).toEqual([
      'bad',
      null,
      'good',
      null,
      'good',
      null,
      'bad',
      null,
      null,
      null,
    ]);
    expect(lines[0]?.href).toBe('/disputes/d1');
  });

  it('has one line for the endpoints that an event reached, and one for those that it did not reach', () => {
    const tries = [
      delivery('failed', 'e1'),
      delivery('delivered', 'e1'),
      delivery('failed', 'e2'),
      delivery('failed', 'e2'),
      delivery('delivered', 'e1', 'evt_2'),
      delivery('delivered', 'e2', 'evt_2'),
    ];
    expect(written(shortStory(source(...tries)))).toEqual([
      ['Your shop was notified: Payment paid', '2 endpoints'],
      ['Your shop was not notified: Payment paid', '2 tries, HTTP 500, stock.example'],
      ['Your shop was notified: Payment paid', 'shop.example'],
    ]);
    expect(storyLines(source(...tries))).toHaveLength(6);
  });

  it('has one line for several endpoints that an event did not reach, which folds the tries at each', () => {
    const tries = source(
      delivery('failed', 'e1'),
      delivery('failed', 'e2'),
      delivery('failed', 'e1'),
      delivery('failed', 'e3'),
      delivery('failed', 'e4', 'evt_2'),
    );
    const of = (endpointId: string, status: string) => ({ eventId: 'evt_1', endpointId, status });
    const lines = shortStory({ ...tries, deliveries: ['e1', 'e2', 'e3'].map((id) => of(id, 'pending')) });
    expect(written(lines)).toEqual([
      ['Your shop was not notified: Payment paid', '1 try, HTTP 500, Deleted'],
      ['Your shop was not notified yet: Payment paid', '3 endpoints'],
    ]);
    expect(lines.map(({ folded }) => folded)).toEqual([
      [],
      ['1 try, HTTP 500, Deleted', '2 tries, HTTP 500, shop.example', '1 try, HTTP 500, stock.example'],
    ]);
    expect([lines[1]?.tone, lines[1]?.at]).toEqual([null, tries.entries[1]?.at]);
    const [, ended] = shortStory({
      ...tries,
      deliveries: [of('e1', 'pending'), of('e2', 'failed'), of('e3', 'pending')],
    });
    expect(ended).toMatchObject({
      title: 'Your shop was not notified: Payment paid',
      tone: 'bad',
      at: tries.entries[1]?.at,
      href: '/events/evt_1',
    });
  });

  it.each([
    ['pending', 'Your shop was not notified yet: Payment paid', null],
    ['failed', 'Your shop was not notified: Payment paid', 'bad'],
    ['deleted', 'Your shop was not notified: Payment paid', 'bad'],
  ])('shows tries of a %s delivery as "%s", in red only once it has failed', (status, title, tone) => {
    const tries = source(delivery('failed', 'e1'), delivery('failed', 'e1'));
    const deliveries = status === 'deleted' ? [] : [{ eventId: 'evt_1', endpointId: 'e1', status }];
    for (const lines of [shortStory({ ...tries, deliveries }), storyLines({ ...tries, deliveries })]) {
      expect(lines[0]).toMatchObject({ title, tone });
    }
  });

  it('shows an entry of an unknown kind by its title, and leaves API calls to their own part', () => {
    const lines = shortStory(
      source(entry('payment.moon'), entry('constructor'), entry('request.answered', { status: 200 })),
    );
    expect(written(lines)).toEqual([
      ['title of constructor', null],
      ['title of payment.moon', null],
    ]);
  });
});
