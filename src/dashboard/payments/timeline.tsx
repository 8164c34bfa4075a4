import type { TimelineEntry } from '../../domain/timeline/draft-entry.ts';
import { type TimelinePart, timelinePart, timelineParts } from '../../domain/timeline/parts.ts';
import { Empty, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';

const tone = ({ kind, detail }: TimelineEntry): 'good' | 'bad' | null => {
  if (kind === 'request.answered') return Number(detail['status']) >= 400 ? 'bad' : null;
  if (/paid|succeeded|delivered|won/.test(kind)) return 'good';
  return /failed|declined|lost|expired|closed/.test(kind) ? 'bad' : null;
};

const toneOf = (entry: TimelineEntry): string | undefined =>
  [timelinePart(entry.kind) === 'payment' ? null : 'beside', tone(entry)]
    .filter((name) => name !== null)
    .join(' ') || undefined;

const partNames: Readonly<Record<TimelinePart | '', string>> = {
  '': 'All',
  payment: 'Payment',
  webhooks: 'Webhooks',
  calls: 'API calls',
};

const ofPart = (entries: readonly TimelineEntry[], part: TimelinePart | ''): readonly TimelineEntry[] =>
  part === '' ? entries : entries.filter(({ kind }) => timelinePart(kind) === part);

/** Chooses a part of the timeline, where it has more than one; the choice is the address. */
export function TimelineFilter({
  path,
  entries,
  part,
}: {
  path: string;
  entries: readonly TimelineEntry[];
  part: TimelinePart | '';
}) {
  const present = timelineParts.filter((one) => one === part || ofPart(entries, one).length > 0);
  if (present.length < 2) return null;
  return (
    <nav class="actions" aria-label="Filter the timeline">
      {(['', ...present] as const).map((one) => (
        <a
          key={one}
          href={one === '' ? `${path}#timeline` : `${path}?timeline=${one}#timeline`}
          aria-current={one === part ? 'true' : undefined}
        >
          {partNames[one]}
        </a>
      ))}
    </nav>
  );
}

/** What happened to the payment stands out; who was told of it, and who called, stands back. */
export function Timeline({
  entries,
  part,
  frame,
}: {
  entries: readonly TimelineEntry[];
  part: TimelinePart | '';
  frame: Frame;
}) {
  const shown = ofPart(entries, part);
  if (shown.length === 0) return <Empty>Nothing of this kind has happened.</Empty>;
  return (
    <ol class="timeline" data-testid="timeline">
      {shown.map((entry, index) => (
        <li key={index} class={toneOf(entry)}>
          <span>{entry.title}</span>
          <Time at={entry.at} frame={frame} precise />
        </li>
      ))}
    </ol>
  );
}
