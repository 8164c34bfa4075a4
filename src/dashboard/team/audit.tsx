import { entryNamed } from '../../domain/entry-named.ts';
import type { Actor, AuditEntry } from '../../domain/audit.ts';
import { Choice, DayField, SearchForm } from '../parts/fields.tsx';
import { labelOf } from '../parts/format.ts';
import { inZone } from '../parts/list.tsx';
import { Address, Card, Empty, Time } from '../parts/parts.tsx';
import { Pager } from '../parts/pager.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import { Table } from '../parts/table.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { actorKinds, type ShownAuditFilter } from './audit-filter.ts';
import { Changes } from './changes.tsx';
import type { MemberLine } from './members.tsx';

const text = texts.team;

/** The URLs of webhook endpoints, by id. */
type EndpointUrls = Readonly<Record<string, string>>;

/** The audit log, newest first, with its filter. */
export function AuditCard({
  frame,
  entries,
  endpointUrls,
  filter,
  members,
  older,
}: {
  frame: Frame;
  entries: readonly AuditEntry[];
  endpointUrls: EndpointUrls;
  filter: ShownAuditFilter;
  members: readonly Pick<MemberLine, 'id' | 'name'>[];
  older: string | null;
}) {
  const isFiltered = [filter.who, filter.action, filter.from, filter.to].some((value) => value !== '');
  return (
    <Card title={text.audit} id="audit">
      <Filter frame={frame} filter={filter} members={members} isFiltered={isFiltered} />
      {entries.length === 0 ? (
        <Empty>{isFiltered ? text.noAuditMatch : text.noAudit}</Empty>
      ) : (
        <AuditTable frame={frame} entries={entries} endpointUrls={endpointUrls} />
      )}
      {filter.unfold === null || frame.environment !== 'sandbox' ? null : (
        <p class="quiet-text">
          {withMarkup(text.foldedControls, { show: <a href={filter.unfold}>{text.showControls}</a> })}
        </p>
      )}
      <Pager before={null} after={older} />
    </Card>
  );
}

/** The form that narrows the log to an actor, a kind of action and days. */
function Filter({
  frame,
  filter: { who, action, from, to },
  members,
  isFiltered,
}: {
  frame: Frame;
  filter: ShownAuditFilter;
  members: readonly Pick<MemberLine, 'id' | 'name'>[];
  isFiltered: boolean;
}) {
  const anyone = { value: '', label: texts.common.all };
  const people = members.map(({ id, name }) => ({ value: id, label: name }));
  const others = actorKinds.map((value) => ({ value, label: text.actorKinds[value] }));
  const isUnlisted = who !== '' && ![...people, ...others].some(({ value }) => value === who);
  const groups = Object.entries(text.actionGroups).map(([value, label]) => ({ value, label }));
  return (
    <SearchForm action={`${frame.base}/team#audit`} searched={isFiltered} button={texts.common.apply}>
      <Choice
        label={text.who}
        id="audit-who"
        name="who"
        value={who}
        options={[
          anyone,
          ...people,
          ...(isUnlisted ? [{ value: who, label: text.formerMember }] : []),
          ...others,
        ]}
      />
      <Choice
        label={text.action}
        id="audit-action"
        name="action"
        value={action}
        options={[anyone, ...groups]}
      />
      <DayField label={texts.common.filters.from} name="from" value={from} />
      <DayField label={texts.common.filters.to} name="to" value={to} />
    </SearchForm>
  );
}

function AuditTable({
  frame,
  entries,
  endpointUrls,
}: {
  frame: Frame;
  entries: readonly AuditEntry[];
  endpointUrls: EndpointUrls;
}) {
  return (
    <Table
      label={text.audit}
      onPhone="entries"
      testId="audit-row"
      rows={entries}
      rowKey={({ sequence }) => String(sequence)}
      columns={[
        { ...inZone(text.when, frame), cell: ({ at }) => <Time at={at} frame={frame} recent /> },
        {
          head: text.who,
          cell: ({ actor }) => (
            <>
              {actorText(actor)}
              <br class="not-on-phone" />
              <small class="quiet-text not-on-phone">{actor.address ?? ''}</small>
            </>
          ),
        },
        {
          head: text.action,
          cell: ({ action, environment }) => (
            <>
              {actionText(action)}
              <br class="not-on-phone" />
              <small class="quiet-text not-on-phone">
                {environment === null ? text.bothEnvironments : labelOf(environment)}
              </small>
            </>
          ),
        },
        {
          head: text.object,
          cell: ({ subject }) => (
            <Subject frame={frame} of={subject} url={entryNamed(endpointUrls, subject.id)} />
          ),
        },
        { head: text.changes, cell: (entry) => <Changes entry={entry} frame={frame} /> },
      ]}
    />
  );
}

/** The object of an entry: an endpoint by its URL, which leads to its page, others by the end of their id. */
const Subject = ({
  frame,
  of: { type, id },
  url,
}: {
  frame: Frame;
  of: AuditEntry['subject'];
  url: string | undefined;
}) => (
  <span title={id}>
    {labelOf(type)}
    <br />
    {url === undefined ? (
      <code>{id.length > 12 ? `…${id.slice(-8)}` : id}</code>
    ) : (
      <a href={`${frame.base}/webhooks/${id}`}>
        <Address of={url} />
      </a>
    )}
  </span>
);

const actionTexts: Readonly<Record<string, string>> = text.actions;

/** Returns an action in words, such as `Webhook endpoint created` for `webhook.created`. */
export function actionText(action: string): string {
  const [noun = '', ...rest] = action.split('.');
  const done = labelOf(rest.join('.')).toLowerCase();
  return entryNamed(actionTexts, action) ?? `${labelOf(noun)} ${done}`;
}

function actorText({ kind, name }: Actor): string {
  if (kind === 'member') return name;
  return kind === 'apiKey' ? text.byApiKey(name) : labelOf(kind);
}
