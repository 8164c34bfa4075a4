import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Method } from '../../../src/dashboard/payments/method.tsx';
import type { Frame } from '../../../src/dashboard/parts/view.ts';
import { AuditCard } from '../../../src/dashboard/team/audit.tsx';
import { errorText } from '../../../src/dashboard/webhooks/deliveries.tsx';
import type { AuditEntry } from '../../../src/domain/audit.ts';
import { partial } from '../../support/partial.ts';

const frame = partial<Frame>({
  base: '/dashboard/sandbox',
  environment: 'sandbox',
  timeZone: 'UTC',
  nowMs: Date.UTC(2030, 2, 15),
});

/** Returns the audit log of one entry, whose endpoint table is empty. */
const logOf = (entry: Pick<AuditEntry, 'action' | 'subject' | 'before' | 'after'>): string =>
  renderToString(
    h(AuditCard, {
      frame,
      entries: [
        partial<AuditEntry>({
          sequence: 1,
          at: '2030-03-14T10:00:00.000Z',
          actor: { kind: 'operator', id: null, name: 'operator', address: null },
          environment: null,
          ...entry,
        }),
      ],
      endpointUrls: {},
      filter: { who: '', action: '', from: '', to: '', unfold: null },
      members: [],
      older: null,
    }),
  );

describe.each(['constructor', 'toString', '__proto__'])('a text "%s"', (text) => {
  it('is shown as the name of an invited member in the audit log', () => {
    const page = logOf({
      action: 'member.invited',
      subject: { type: 'member', id: text },
      before: null,
      after: { name: text },
    });
    expect(page).toContain(`<code>${text}</code>`);
    expect(page).not.toMatch(/native code|undefined/);
  });

  it('is shown as the name of a value that an entry adds', () => {
    const page = logOf({
      action: 'settings.changed',
      subject: { type: 'settings', id: 'sandbox' },
      before: {},
      after: JSON.parse(`{"${text}":"added"}`) as Record<string, unknown>,
    });
    expect(page).toMatch(/<\/span> added<\/small>/);
    expect(page).not.toMatch(/native code|undefined/);
  });

  it('is shown as the brand of a card', () => {
    const page = renderToString(h(Method, { of: { method: 'card', cardBrand: text, cardLast4: '4242' } }));
    expect(page).toMatch(/^<span class="method">[\w ]+\W+4242<\/span>$/);
    expect(page).not.toContain('native code');
  });

  it('is no reason of a failed delivery', () => {
    expect(errorText({ statusCode: null, error: text })).toBe('No response');
  });
});
