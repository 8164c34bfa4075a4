import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Timeline } from '../../../src/dashboard/payments/timeline.tsx';
import type { StorySource } from '../../../src/dashboard/payments/story.ts';
import type { Frame } from '../../../src/dashboard/parts/view.ts';
import { partial } from '../../support/partial.ts';

const frame = partial<Frame>({ base: '/dashboard/sandbox', timeZone: 'UTC', nowMs: Date.UTC(2030, 2, 15) });

/** Returns the overview of a payment whose event failed at as many endpoints. */
function overviewOf(endpoints: number): string {
  const ids = Array.from({ length: endpoints }, (_, index) => `e${index}`);
  const source: StorySource = {
    payment: { amountCents: 4_250, checkoutMode: 'hosted' },
    entries: ids.map((endpointId) => ({
      at: '2030-03-14T10:00:00.000Z',
      kind: 'webhook.failed',
      title: 'A try failed',
      detail: { eventId: 'evt_1', endpointId, type: 'payment.paid', attemptNo: 1, statusCode: 500 },
    })),
    attempts: [],
    refunds: [],
    refundMembers: {},
    linkId: null,
    deliveries: [],
    endpointUrls: Object.fromEntries(ids.map((id) => [id, `https://${id}.example/hooks`])),
  };
  return renderToString(h(Timeline, { source, part: 'payment', frame }));
}

it('folds the endpoints that an event did not reach, below their number', () => {
  expect(overviewOf(3)).toContain(
    '<details class="timeline-note" data-testid="timeline-fold"><summary>3 endpoints</summary>' +
      '<ul><li>1 try, HTTP 500, e0.example</li><li>1 try, HTTP 500, e1.example</li>' +
      '<li>1 try, HTTP 500, e2.example</li></ul></details>',
  );
});

it('shows the only endpoint that an event did not reach without a fold', () => {
  expect(overviewOf(1)).toContain('<span class="timeline-note">1 try, HTTP 500, e0.example</span>');
  expect(overviewOf(1)).not.toContain('<details');
});
