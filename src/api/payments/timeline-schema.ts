import * as z from 'zod';
import { awaitedParties } from '../../domain/waiting.ts';
import { maxTimelineEntries } from '../../domain/timeline/entries.ts';
import { dateTime } from '../http/schema.ts';
import { Payment } from './schema.ts';

/** The party that a pending payment waits for. docs/readings.md, "Why a payment is pending". */
const WaitingFor = z
  .strictObject({
    who: z.enum(awaitedParties),
    since: dateTime(),
    until: dateTime().meta({ description: 'When the wait ends by itself.' }).nullable(),
    next: z.string().meta({ description: 'What happens next, in a sentence for people.' }),
  })
  .meta({
    id: 'WaitingFor',
    description: 'The one party a payment waits for.',
    examples: [
      {
        who: 'customer',
        since: '2026-03-01T12:00:00.000Z',
        until: '2026-03-01T12:30:00.000Z',
        next: 'Waiting for the customer to pay. The checkout closes unpaid at the deadline.',
      },
    ],
  });

/** One entry of a timeline. docs/readings.md, "Timeline". */
const TimelineEntry = z
  .strictObject({
    at: dateTime(),
    kind: z.string().meta({ description: 'The kind of entry; new kinds may appear.' }),
    title: z.string().meta({ description: 'The same in a sentence for people.' }),
    detail: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .meta({ description: 'Ids, amounts and codes; new members may appear.' }),
  })
  .meta({
    id: 'TimelineEntry',
    description: 'One thing that happened to a payment.',
    examples: [
      {
        at: '2026-03-01T12:04:31.000Z',
        kind: 'payment.paid',
        title: 'Payment is paid',
        detail: { previousStatus: 'pending', method: 'card', cardBrand: 'visa', cardLast4: '4242' },
      },
    ],
  });

export const TimelineQuery = z.strictObject({
  at: z.iso
    .datetime({ offset: true })
    .meta({ description: 'An instant; the present unless given.', examples: ['2026-03-01T12:04:31.000Z'] })
    .optional(),
  requests: z
    .enum(['true', 'false'])
    .meta({
      description:
        'Whether to include the calls that asked for a change. They are stored some seconds later and ' +
        'kept for 7 days.',
    })
    .optional(),
});

export const Timeline = z
  .strictObject({
    payment: Payment,
    waitingFor: WaitingFor.nullable(),
    entries: z.array(TimelineEntry).max(maxTimelineEntries),
  })
  .meta({
    id: 'Timeline',
    description: 'A payment at one instant, what it waited for, and what had happened, oldest first.',
    examples: [],
  });
