import type { AuditEntry } from '../../domain/audit.ts';
import { labelOf } from '../parts/format.ts';
import { Card, Empty, Pager, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';

/** Who changed what, newest first. */
export const AuditCard = ({
  frame,
  entries,
  older,
}: {
  frame: Frame;
  entries: readonly AuditEntry[];
  older: string | null;
}) => (
  <Card title="Audit log">
    {entries.length === 0 ? (
      <Empty>Nothing was changed yet. Each change is an entry here, for ever.</Empty>
    ) : (
      <AuditTable frame={frame} entries={entries} />
    )}
    <Pager before={null} after={older} />
  </Card>
);

function AuditTable({ frame, entries }: { frame: Frame; entries: readonly AuditEntry[] }) {
  return (
    <Table
      label="Audit log"
      testId="audit-row"
      rows={entries}
      rowKey={({ sequence }) => String(sequence)}
      columns={[
        { head: 'When', cell: ({ at }) => <Time at={at} frame={frame} /> },
        {
          head: 'Who',
          cell: ({ actor }) => (
            <>
              {actor.kind === 'apiKey' ? `API key ${actor.name}` : actor.name}
              <br />
              <small class="quiet-text">{actor.address ?? ''}</small>
            </>
          ),
        },
        {
          head: 'What',
          cell: ({ action, environment }) => (
            <>
              {labelOf(action)}
              <br />
              <small class="quiet-text">
                {environment === null ? 'Both environments' : labelOf(environment)}
              </small>
            </>
          ),
        },
        {
          head: 'Of',
          cell: ({ subject: { type, id } }) => (
            <span title={id}>
              {labelOf(type)}
              <br />
              <code>{id.length > 12 ? `…${id.slice(-8)}` : id}</code>
            </span>
          ),
        },
        { head: 'Before and after', cell: (entry) => <Changes entry={entry} /> },
      ]}
    />
  );
}

function Changes({ entry }: { entry: AuditEntry }) {
  const names = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])];
  const text = (value: unknown): string =>
    value === null || value === undefined
      ? 'none'
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  if (names.length === 0) return <code>{entry.subject.id.slice(0, 40)}</code>;
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <small>
            <span class="quiet-text">{labelOf(name)}:</span>{' '}
            {entry.before !== null && name in entry.before ? `${text(entry.before[name])} → ` : ''}
            {entry.after !== null && name in entry.after ? text(entry.after[name]) : 'none'}
          </small>
        </li>
      ))}
    </ul>
  );
}
