import { entryNamed } from '../../domain/entry-named.ts';
import type { TimelineEntry } from '../../domain/timeline/draft-entry.ts';
import { timelinePart } from '../../domain/timeline/parts.ts';
import { eventName } from '../parts/event-name.tsx';
import { labelOf, money } from '../parts/format.ts';
import { texts } from '../texts/en.ts';
import { type DeliveryLine, errorText } from '../webhooks/deliveries.tsx';
import type { AttemptLine, PaymentPageData } from './data.ts';
import { methodLabel } from './method.tsx';

const text = texts.story;

/** The data from which the sentences of a payment's entries are built. */
export interface StorySource extends Pick<
  PaymentPageData,
  'entries' | 'refundMembers' | 'linkId' | 'endpointUrls'
> {
  payment: Pick<PaymentPageData['payment'], 'amountCents' | 'checkoutMode'>;
  attempts: readonly Pick<AttemptLine, 'attemptNo' | 'method' | 'cardBrand' | 'cardLast4'>[];
  refunds: readonly Pick<PaymentPageData['refunds'][number], 'id' | 'providerReference'>[];
  deliveries: readonly Pick<DeliveryLine, 'eventId' | 'endpointId' | 'status'>[];
}

/** One event of a payment's history, as a sentence. */
export interface StoryLine {
  /** ISO 8601. */
  at: string;
  title: string;
  /** Its author, or another known fact. */
  note: string | null;
  /** The parts that the note counts, which it folds; none for most lines. */
  folded: readonly string[];
  tone: 'good' | 'bad' | null;
  /** Whether it concerns the merchant's systems rather than the money. */
  isBeside: boolean;
  /** A path below the dashboard's path of the environment; null if it has no page. */
  href: string | null;
}

/** Returns every entry as a sentence, in the order of the entries: newest first. */
export const storyLines = (source: StorySource): StoryLine[] =>
  source.entries.map((entry) => lineOf(entry, source));

/**
 * Returns the entries that a person needs to know about a payment, newest first. Entries that follow from
 * another one at the same moment are left out, and the tries of a webhook are one line.
 */
export function shortStory(source: StorySource): StoryLine[] {
  const kinds = new Set(source.entries.map(({ kind }) => kind));
  const kept = source.entries.filter(
    ({ kind }) =>
      timelinePart(kind) === 'payment' && !(entryNamed(impliedBy, kind) ?? []).some((by) => kinds.has(by)),
  );
  return [...kept.map((entry) => lineOf(entry, source)), ...notifications(source)].toSorted((one, other) =>
    other.at.localeCompare(one.at),
  );
}

/** Entries that add nothing to an entry of these other kinds. */
const impliedBy: Readonly<Record<string, readonly string[]>> = {
  'attempt.paid': ['payment.paid'],
  'attempt.failed': ['payment.failed'],
  'payment.pending': ['attempt.declined', 'attempt.voided'],
  'payment.refunded': ['refund.succeeded'],
  'payment.partiallyRefunded': ['refund.succeeded', 'refund.failed'],
  'payment.disputed': ['dispute.created'],
  'payment.disputeWon': ['dispute.won', 'dispute.withdrawn'],
  'payment.disputeLost': ['dispute.lost'],
};

const stringOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function lineOf(entry: TimelineEntry, source: StorySource): StoryLine {
  const [noun = '', verb = ''] = entry.kind.split('.');
  const of = (known: Partial<StoryLine>): StoryLine => ({
    at: entry.at,
    title: entry.title,
    note: null,
    folded: [],
    tone: toneOf(entry),
    isBeside: timelinePart(entry.kind) !== 'payment',
    href: null,
    ...known,
  });
  switch (noun) {
    case 'payment':
      return of(paymentLine(verb, entry, source));
    case 'attempt':
      return of(attemptLine(verb, entry, source));
    case 'checkout':
      return of(checkoutLine(verb, entry));
    case 'refund':
      return of(refundLine(verb, entry, source));
    case 'dispute':
      return of(disputeLine(verb, entry));
    case 'webhook': {
      const type = eventName(String(entry.detail['type']));
      const isDelivered = verb === 'delivered';
      const isOver = isDelivered || deliveryOf(entry, source)?.status !== 'pending';
      const title = isOver ? text.notNotified(type) : text.notNotifiedYet(type);
      return of({
        title: isDelivered ? text.notified(type) : title,
        tone: isDelivered ? 'good' : hasFailed(entry, source) ? 'bad' : null,
        note: isDelivered ? hostOf(entry, source) : triesNote([entry], source),
        href: `/events/${String(entry.detail['eventId'])}`,
      });
    }
    default:
      return of({});
  }
}

type Known = Partial<StoryLine>;

/** Returns the delivery that an entry is a try of; undefined if it is no longer stored. */
const deliveryOf = ({ detail }: TimelineEntry, { deliveries }: StorySource) =>
  deliveries.find(
    ({ eventId, endpointId }) => eventId === detail['eventId'] && endpointId === detail['endpointId'],
  );

/** Whether the delivery of a try failed for good: one that is still retried, or arrived later, did not. */
const hasFailed = (entry: TimelineEntry, source: StorySource): boolean =>
  !['pending', 'delivered'].includes(deliveryOf(entry, source)?.status ?? 'failed');

function toneOf({ kind, detail }: TimelineEntry): StoryLine['tone'] {
  if (kind === 'request.answered') return Number(detail['status']) >= 400 ? 'bad' : null;
  if (kind === 'payment.unexpectedCapture') return 'bad';
  if (/paid|succeeded|delivered|won$/i.test(kind)) return 'good';
  return /failed|declined|lost|closed|disputed|dispute\.created/i.test(kind) ? 'bad' : null;
}

const isTitled = <Titles extends object>(titles: Titles, name: string): name is keyof Titles & string =>
  Object.hasOwn(titles, name);

/**
 * Returns the method with which it was paid, worded for the middle of a sentence: `Visa ·· 4242`, `Pix` or `a
 * card`.
 */
function methodOf({ detail }: TimelineEntry, { attempts }: StorySource): string {
  const attempt = attempts.find(({ attemptNo }) => attemptNo === detail['attemptNo']);
  const method = stringOf(detail['method']) ?? attempt?.method ?? 'card';
  const brand = stringOf(detail['cardBrand']) ?? attempt?.cardBrand ?? null;
  const last4 = stringOf(detail['cardLast4']) ?? attempt?.cardLast4 ?? null;
  return last4 === null && isTitled(text.methods, method)
    ? text.methods[method]
    : methodLabel(method, brand, last4);
}

function paymentLine(verb: string, entry: TimelineEntry, source: StorySource): Known {
  const { detail } = entry;
  const { payment, linkId } = source;
  if (verb === 'created') {
    const note = text.createdHow[linkId === null ? payment.checkoutMode : 'link'];
    return {
      title: text.created(money(payment.amountCents)),
      note,
      href: linkId === null ? null : `/payment-links`,
    };
  }
  if (verb === 'paid') {
    const method = methodOf(entry, source);
    return { title: detail['late'] === true ? text.paidLate(method) : text.paid(method) };
  }
  if (!isTitled(text.payment, verb)) return {};
  const note =
    verb === 'failed' ? (stringOf(detail['failureMessage']) ?? labelled(detail['failureCode'])) : null;
  return { title: text.payment[verb], note };
}

const labelled = (code: unknown): string | null => (typeof code === 'string' ? labelOf(code) : null);

function attemptLine(verb: string, entry: TimelineEntry, source: StorySource): Known {
  if (!isTitled(text.attempt, verb)) return {};
  const { detail } = entry;
  const method = methodOf(entry, source);
  const attempt = Number(detail['attemptNo']);
  const reason = labelled(detail['failureCode'])?.toLowerCase();
  return verb === 'declined' || verb === 'failed'
    ? { title: text.attempt[verb](reason ?? text.unknownReason), note: text.methodAndNo(method, attempt) }
    : { title: text.attempt[verb](method), note: text.attemptNo(attempt) };
}

function checkoutLine(verb: string, { detail }: TimelineEntry): Known {
  if (verb === 'opened') return { title: text.opened };
  if (verb === 'deadlineMoved') return { title: text.deadlineMoved };
  const reason = String(detail['terminalReason']);
  return isTitled(text.closed, reason) ? { title: text.closed[reason] } : {};
}

function refundLine(verb: string, { detail }: TimelineEntry, source: StorySource): Known {
  if (!isTitled(text.refund, verb)) return {};
  const id = String(detail['refundId']);
  const isOfProvider = source.refunds.some((refund) => refund.id === id && refund.providerReference !== null);
  const member = entryNamed(source.refundMembers, id);
  const author = isOfProvider ? text.byProvider : member === undefined ? text.byApi : text.by(member);
  return {
    title: text.refund[verb](money(Number(detail['amountCents']))),
    note: verb === 'created' ? author : labelled(detail['failureCode']),
  };
}

function disputeLine(verb: string, { detail }: TimelineEntry): Known {
  if (!isTitled(text.dispute, verb)) return {};
  return {
    title: text.dispute[verb](money(Number(detail['amountCents']))),
    note: labelled(detail['reason']),
    href: `/disputes/${String(detail['disputeId'])}`,
  };
}

/** Returns the host of the endpoint of a try; null if the endpoint is deleted. */
function hostOf({ detail }: TimelineEntry, { endpointUrls }: StorySource): string | null {
  const url = entryNamed(endpointUrls, String(detail['endpointId']));
  return url === undefined || !URL.canParse(url) ? null : new URL(url).host;
}

/** Returns how many tries failed at an endpoint, and why the newest one did. The newest comes first. */
function triesNote(tries: readonly TimelineEntry[], source: StorySource): string | null {
  const [latest] = tries;
  if (latest === undefined) return null;
  const { statusCode, error } = latest.detail;
  const why = errorText({
    statusCode: typeof statusCode === 'number' ? statusCode : null,
    error: stringOf(error),
  });
  return text.tries(tries.length, why, hostOf(latest, source) ?? texts.webhooks.deletedEndpoint);
}

/** Groups entries by the value of a member of their detail. */
function groupedBy(name: string, entries: readonly TimelineEntry[]): TimelineEntry[][] {
  const groups = new Map<unknown, TimelineEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.detail[name]);
    if (group === undefined) groups.set(entry.detail[name], [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}

/**
 * Returns one line for the endpoints that an event did not reach. It folds the tries at each of them, newest
 * first; those of the only one are its note. None for no endpoint.
 */
function notReached(failed: readonly TimelineEntry[][], source: StorySource): StoryLine[] {
  const latest = failed.flatMap((tries) => tries.slice(0, 1));
  const [newest] = latest;
  if (newest === undefined) return [];
  // A delivery that has failed for good weighs more than one that is still tried.
  const shown = latest.find((entry) => hasFailed(entry, source)) ?? newest;
  const line = { ...lineOf(shown, source), at: newest.at };
  const notes = failed.flatMap((tries) => triesNote(tries, source) ?? []);
  return notes.length === 1
    ? [{ ...line, note: notes[0] ?? null }]
    : [{ ...line, note: text.endpoints(notes.length), folded: notes }];
}

/** Returns one line for each event that reached endpoints, and one for each that did not reach some. */
function notifications(source: StorySource): StoryLine[] {
  const tries = source.entries.filter(({ kind }) => timelinePart(kind) === 'webhooks');
  return groupedBy('eventId', tries).flatMap((ofEvent) => {
    const endpoints = groupedBy('endpointId', ofEvent);
    const delivered = endpoints.flatMap(
      (ofEndpoint) => ofEndpoint.findLast(({ kind }) => kind === 'webhook.delivered') ?? [],
    );
    const [first] = delivered;
    const failed = endpoints.filter((all) => all.every(({ kind }) => kind === 'webhook.failed'));
    return [
      ...(first === undefined
        ? []
        : [
            {
              ...lineOf(first, source),
              note: delivered.length === 1 ? hostOf(first, source) : text.endpoints(delivered.length),
            },
          ]),
      ...notReached(failed, source),
    ];
  });
}
