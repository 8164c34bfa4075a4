import { entryNamed } from '../../domain/entry-named.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import { eventName } from '../parts/event-name.tsx';
import { instant, labelOf, money } from '../parts/format.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { browserOf } from './browser-name.ts';

const text = texts.team;

/** The values that a change set, and those that it replaced. */
export function Changes({ entry: { before, after, subject }, frame }: { entry: AuditEntry; frame: Frame }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  // A field that a new object does not have adds nothing, so it is left out.
  const listed = names.filter((name) => before !== null || (valueOf(after, name) ?? null) !== null);
  if (listed.length === 0) return <code>{subject.id.slice(0, 40)}</code>;
  return (
    <ul>
      {listed.map((name) => (
        <li key={name}>
          <small>
            <span class="quiet-text">{text.field(fieldLabel(name))}</span>{' '}
            {before !== null && Object.hasOwn(before, name)
              ? text.changed(
                  shownValue(name, before[name], frame),
                  shownValue(name, valueOf(after, name), frame),
                )
              : shownValue(name, valueOf(after, name), frame)}
          </small>
        </li>
      ))}
    </ul>
  );
}

const valueOf = (values: AuditEntry['after'], name: string): unknown => entryNamed(values ?? {}, name);

const fieldLabel = (name: string): string => labelOf(name.replace(/(?<=.)(Cents|Id|At)$/, ''));

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const isoInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Returns a value of an entry in readable form: money, times, browsers and API names in words. */
export function shownValue(name: string, value: unknown, frame: Pick<Frame, 'timeZone'>): string {
  if (value === null || value === undefined || value === '') return text.noValue;
  if (typeof value === 'boolean') return value ? texts.settings.yes : texts.settings.no;
  if (typeof value === 'number') return name.endsWith('Cents') ? money(value) : String(value);
  if (Array.isArray(value)) {
    return value.length === 0 ? text.noValue : value.map((one) => shownValue(name, one, frame)).join(', ');
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  if (name === 'userAgent') return browserOf(value);
  if (uuid.test(value)) return `…${value.slice(-8)}`;
  const at = isoInstant.test(value) ? new Date(value) : null;
  if (at !== null && !Number.isNaN(at.getTime())) return instant(at, frame.timeZone);
  if (name === 'events') return eventName(value);
  if (name === 'scopes') return entryNamed(scopeNames, value) ?? value;
  return named.has(name) || /^[a-z]+([A-Z][a-z]+)+$/.test(value) ? labelOf(value) : value;
}

const scopeNames: Readonly<Record<string, string>> = texts.developers.scopeNames;

/** The fields whose values are names of the API, not texts of a person. */
const named: ReadonlySet<string> = new Set([
  ...['status', 'previousStatus', 'role', 'reason', 'disabledReason', 'why', 'means', 'outcome', 'decision'],
  ...['methods', 'method', 'environment', 'kind', 'type', 'target', 'mode', 'dimension'],
]);
