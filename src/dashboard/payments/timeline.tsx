import { Fragment } from 'preact';
import { timelinePart, timelineParts } from '../../domain/timeline/parts.ts';
import { dayOf } from '../parts/format.ts';
import { Empty, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import type { ShownPart } from './data.ts';
import { shortStory, type StoryLine, storyLines, type StorySource } from './story.ts';

const text = texts.payments;

function linesOf(source: StorySource, part: ShownPart): StoryLine[] {
  if (part === 'payment') return shortStory(source);
  const entries =
    part === 'all' ? source.entries : source.entries.filter(({ kind }) => timelinePart(kind) === part);
  return storyLines({ ...source, entries });
}

/** Links to the parts of the timeline, if it has more than one. The choice is part of the address. */
export function TimelineFilter({
  path,
  source,
  part,
}: {
  path: string;
  source: StorySource;
  part: ShownPart;
}) {
  const found = new Set(source.entries.map(({ kind }) => timelinePart(kind)));
  const present = timelineParts.filter((one) => one !== 'payment' && (one === part || found.has(one)));
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

/** The timeline, newest first, by day. Events about money stand out from webhooks and API calls. */
export function Timeline({ source, part, frame }: { source: StorySource; part: ShownPart; frame: Frame }) {
  const lines = linesOf(source, part);
  if (lines.length === 0) return <Empty>{text.noEntries}</Empty>;
  const dayAt = (line: StoryLine | undefined): string | null =>
    line === undefined ? null : dayOf(new Date(line.at), frame.timeZone);
  return (
    <ol class="timeline" data-testid="timeline">
      {lines.map((line, index) => (
        <Fragment key={index}>
          {dayAt(line) === dayAt(lines[index - 1]) ? null : (
            <li class="timeline-day">
              <h3>{dayAt(line)}</h3>
            </li>
          )}
          <li class={classOf(line)}>
            <span>{line.href === null ? line.title : <a href={frame.base + line.href}>{line.title}</a>}</span>
            <Note of={line} />
            <small>
              <Time at={line.at} frame={frame} precise clock /> <Gap line={line} before={lines[index + 1]} />
            </small>
          </li>
        </Fragment>
      ))}
    </ol>
  );
}

/** The note of a line. If it counts parts, it opens to show them. */
function Note({ of: { note, folded } }: { of: StoryLine }) {
  if (note === null) return null;
  if (folded.length === 0) return <span class="timeline-note">{note}</span>;
  return (
    <details class="timeline-note" data-testid="timeline-fold">
      <summary>{note}</summary>
      <ul>
        {folded.map((part, index) => (
          <li key={index}>{part}</li>
        ))}
      </ul>
    </details>
  );
}

const classOf = ({ isBeside, tone }: StoryLine): string | undefined =>
  [isBeside ? 'beside' : null, tone].filter((name) => name !== null).join(' ') || undefined;

/** The time since the previous line, which the list shows below. */
function Gap({ line, before }: { line: StoryLine; before: StoryLine | undefined }) {
  if (before === undefined) return null;
  const ms = Date.parse(line.at) - Date.parse(before.at);
  return ms < 100 ? null : <span class="nowrap">{text.sincePrevious(gapText(ms))}</span>;
}

/** Returns the time between two lines: `0.3 s`, `12 min`, `5 h`, `3 d`. */
export function gapText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 3_570) return `${Math.round(seconds / 60)} min`;
  return seconds < 47.5 * 3_600 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
