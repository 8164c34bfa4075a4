import type { Actor, AuditEntry } from '../../domain/audit.ts';
import { labelOf } from '../parts/format.ts';
import { inZone } from '../parts/list.tsx';
import { Card, Empty, Pager, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { Changes } from './changes.tsx';

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
        { ...inZone(text.when, frame), cell: ({ at }) => <Time at={at} frame={frame} /> },
        {
          head: text.who,
          cell: ({ actor }) => (
            <>
              {actorText(actor)}
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
        { head: text.changes, cell: (entry) => <Changes entry={entry} frame={frame} /> },
      ]}
    />
  );
}

function actorText({ kind, name }: Actor): string {
  if (kind === 'member') return name;
  return kind === 'apiKey' ? text.byApiKey(name) : labelOf(kind);
}
