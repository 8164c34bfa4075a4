import type { AuditEntry } from '../../domain/audit.ts';
import { labelOf } from '../parts/format.ts';
import { Card, Empty, Pager, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.team;

/** The audit log, newest first. */
export const AuditCard = ({
  frame,
  entries,
  older,
}: {
  frame: Frame;
  entries: readonly AuditEntry[];
  older: string | null;
}) => (
  <Card title={text.audit}>
    {entries.length === 0 ? <Empty>{text.noAudit}</Empty> : <AuditTable frame={frame} entries={entries} />}
    <Pager before={null} after={older} />
  </Card>
);

function AuditTable({ frame, entries }: { frame: Frame; entries: readonly AuditEntry[] }) {
  return (
    <Table
      label={text.audit}
      testId="audit-row"
      rows={entries}
      rowKey={({ sequence }) => String(sequence)}
      columns={[
        { head: text.when, cell: ({ at }) => <Time at={at} frame={frame} /> },
        {
          head: text.who,
          cell: ({ actor }) => (
            <>
              {actor.kind === 'apiKey' ? text.byApiKey(actor.name) : actor.name}
              <br />
              <small class="quiet-text">{actor.address ?? ''}</small>
            </>
          ),
        },
        {
          head: text.action,
          cell: ({ action, environment }) => (
            <>
              {labelOf(action)}
              <br />
              <small class="quiet-text">
                {environment === null ? text.bothEnvironments : labelOf(environment)}
              </small>
            </>
          ),
        },
        {
          head: text.object,
          cell: ({ subject: { type, id } }) => (
            <span title={id}>
              {labelOf(type)}
              <br />
              <code>{id.length > 12 ? `…${id.slice(-8)}` : id}</code>
            </span>
          ),
        },
        { head: text.changes, cell: (entry) => <Changes entry={entry} /> },
      ]}
    />
  );
}

function Changes({ entry }: { entry: AuditEntry }) {
  const names = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])];
  const shown = (value: unknown): string =>
    value === null || value === undefined
      ? text.noValue
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  if (names.length === 0) return <code>{entry.subject.id.slice(0, 40)}</code>;
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <small>
            <span class="quiet-text">{text.field(labelOf(name))}</span>{' '}
            {entry.before !== null && name in entry.before
              ? text.changed(shown(entry.before[name]), shown(entry.after?.[name]))
              : shown(entry.after?.[name])}
          </small>
        </li>
      ))}
    </ul>
  );
}
