import type { TimelineEntry } from '../../domain/timeline/draft-entry.ts';
import { timelinePart, timelineParts } from '../../domain/timeline/parts.ts';
import { texts } from '../texts/en.ts';
import { Empty, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';

const tone = ({ kind, detail }: TimelineEntry): 'good' | 'bad' | null => {
  if (kind === 'request.answered') return Number(detail['status']) >= 400 ? 'bad' : null;
  if (kind === 'payment.unexpectedCapture') return 'bad';
  if (/paid|succeeded|delivered|won/.test(kind)) return 'good';
  return /failed|declined|lost|expired|closed/.test(kind) ? 'bad' : null;
};

const toneOf = (entry: TimelineEntry): string | undefined =>
  [timelinePart(entry.kind) === 'payment' ? null : 'beside', tone(entry)]
    .filter((name) => name !== null)
    .join(' ') || undefined;

const text = texts.payments;

/** The parts that the address can name; without one, the changes of the payment. */
export const shownParts = [...timelineParts, 'all'] as const;
export type ShownPart = (typeof shownParts)[number];

const ofPart = (entries: readonly TimelineEntry[], part: ShownPart): readonly TimelineEntry[] =>
  part === 'all' ? entries : entries.filter(({ kind }) => timelinePart(kind) === part);

/** Links to the parts of the timeline, where it has more than one; the choice is part of the address. */
export function TimelineFilter({
  path,
  entries,
  part,
}: {
  path: string;
  entries: readonly TimelineEntry[];
  part: ShownPart;
}) {
  const besides = timelineParts.filter((one) => one !== 'payment');
  const present = besides.filter((one) => one === part || ofPart(entries, one).length > 0);
  if (present.length === 0) return null;
  return (
    <nav class="actions" aria-label={text.filterTimeline}>
      {(['payment', ...present, 'all'] as const).map((one) => (
        <a
          key={one}
          href={one === 'payment' ? `${path}#timeline` : `${path}?timeline=${one}#timeline`}
          aria-current={one === part ? 'true' : undefined}
        >
          {text.timelineParts[one]}
        </a>
      ))}
    </nav>
  );
}

/** The timeline: changes of the payment stand out from deliveries and API calls. */
export function Timeline({
  entries,
  part,
  frame,
}: {
  entries: readonly TimelineEntry[];
  part: ShownPart;
  frame: Frame;
}) {
  const shown = ofPart(entries, part);
  if (shown.length === 0) return <Empty>{text.noEntries}</Empty>;
  return (
    <ol class="timeline" data-testid="timeline">
      {shown.map((entry, index) => (
        <li key={index} class={toneOf(entry)}>
          <span>{entry.title}</span>
          <small>
            <Time at={entry.at} frame={frame} precise /> <Gap entry={entry} before={shown[index + 1]} />
          </small>
        </li>
      ))}
    </ol>
  );
}

/** The time since the entry before, which the list shows below. */
function Gap({ entry, before }: { entry: TimelineEntry; before: TimelineEntry | undefined }) {
  if (before === undefined) return null;
  const ms = Date.parse(entry.at) - Date.parse(before.at);
  return ms < 100 ? null : <span class="nowrap">{text.sincePrevious(gapText(ms))}</span>;
}

/** Returns a time between two entries: `0.3 s`, `12 min`, `5 h`, `3 d`. */
export function gapText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 3_570) return `${Math.round(seconds / 60)} min`;
  return seconds < 47.5 * 3_600 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
