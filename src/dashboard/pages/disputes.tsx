import { type DisputeRecord, disputeStatuses, maxEvidenceCharacters } from '../../domain/dispute.ts';
import { count, distance, money, words } from '../format.ts';
import { Card, Empty, Facts, Form, Pager, Status, StatusFilter, Table, Time } from '../parts.tsx';
import type { Frame } from '../view.ts';

export function DisputesPage({
  frame,
  disputes,
  status,
  pages,
}: {
  frame: Frame;
  disputes: readonly DisputeRecord[];
  status: string;
  pages: { before: string | null; after: string | null };
}) {
  return (
    <>
      <StatusFilter action={`${frame.base}/disputes`} statuses={disputeStatuses} value={status} />
      <Card title="Disputes, the next deadline first">
        {disputes.length === 0 ? (
          <Empty>
            No disputes{status === '' ? '' : ' with this status'}. Nobody asks for their money back.
          </Empty>
        ) : (
          <DisputeTable frame={frame} disputes={disputes} />
        )}
        <Pager {...pages} />
      </Card>
    </>
  );
}

export function DisputeTable({ frame, disputes }: { frame: Frame; disputes: readonly DisputeRecord[] }) {
  return (
    <Table
      label="Disputes"
      rows={disputes}
      rowKey={({ id }) => id}
      columns={[
        {
          head: 'Reason',
          cell: ({ id, reason }) => <a href={`${frame.base}/disputes/${id}`}>{words(reason)}</a>,
        },
        { head: 'Amount', end: true, cell: ({ amountCents }) => money(amountCents) },
        { head: 'Status', cell: ({ status }) => <Status of={status} /> },
        { head: 'Stage', cell: ({ stage }) => words(stage) },
        {
          head: 'Due',
          cell: ({ evidenceDueAt, status }) =>
            status === 'needsResponse' ? (
              <>
                {distance(evidenceDueAt, frame.nowMs)}{' '}
                <small class="quiet-text">
                  <Time at={evidenceDueAt} frame={frame} />
                </small>
              </>
            ) : (
              <span class="none">–</span>
            ),
        },
      ]}
    />
  );
}

/** What a merchant may say, by the names the API gives it. */
const evidenceFields = [
  ['productDescription', 'What was sold'],
  ['customerCommunication', 'What was written with the customer'],
  ['shippingTracking', 'How it was delivered'],
  ['refundPolicy', 'Your refund policy, and how it was shown'],
  ['uncategorizedText', 'Anything else'],
] as const;

/** A dispute with its evidence. `asking`: whether accepting must be confirmed now. */
export function DisputePage({
  frame,
  dispute,
  answerKey,
  asking,
}: {
  frame: Frame;
  dispute: DisputeRecord;
  answerKey: string;
  asking: boolean;
}) {
  const path = `${frame.base}/disputes/${dispute.id}`;
  const open = dispute.status === 'needsResponse' && dispute.submittedAt === null;
  const staged = Object.entries(dispute.evidence);
  const own = staged.filter(([name]) => !evidenceFields.some(([known]) => known === name));
  return (
    <>
      <Card title={money(dispute.amountCents)} aside={<Status of={dispute.status} />}>
        <Facts
          of={[
            ['Reason', words(dispute.reason)],
            ['Stage', words(dispute.stage)],
            [
              'Evidence due',
              <>
                <Time at={dispute.evidenceDueAt} frame={frame} />
              </>,
            ],
            ['Submitted', <Time at={dispute.submittedAt} frame={frame} />],
            ['Ended', dispute.resolution === null ? '–' : words(dispute.resolution)],
            ['Payment', <a href={`${frame.base}/payments/${dispute.paymentId}`}>Show the payment</a>],
          ]}
        />
      </Card>
      <Card title="Evidence">
        {open && frame.may('dispute') ? (
          <Form frame={frame} to={`${path}/evidence`} class="fields">
            {[...evidenceFields, ...own.map(([name]) => [name, name] as const)].map(([name, label]) => (
              <div class="field" key={name}>
                <label for={`evidence-${name}`}>{label}</label>
                <textarea id={`evidence-${name}`} name={`evidence.${name}`}>
                  {dispute.evidence[name] ?? ''}
                </textarea>
              </div>
            ))}
            <small class="help">
              Up to {count(maxEvidenceCharacters)} characters in all. No card numbers.
            </small>
            <label class="check">
              <input type="checkbox" name="autoSubmit" value="on" checked={dispute.autoSubmit} />
              Submit it by itself one hour before the deadline
            </label>
            <div class="actions">
              <button type="submit">Keep ready</button>
            </div>
          </Form>
        ) : staged.length === 0 ? (
          <Empty>No evidence was given.</Empty>
        ) : (
          <dl class="stack">
            {staged.map(([name, text]) => (
              <div key={name}>
                <dt>
                  <strong>{words(name)}</strong>
                </dt>
                <dd>
                  <pre>{text}</pre>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Card>
      {open && frame.may('dispute') ? (
        <Card title="Answer">
          <p>An answer is final: it cannot be changed or taken back.</p>
          <div class="actions">
            <Form frame={frame} to={`${path}/submit`}>
              <input type="hidden" name="key" value={answerKey} />
              <button type="submit" disabled={staged.length === 0}>
                Submit evidence
              </button>
            </Form>
            {asking ? (
              <Form frame={frame} to={`${path}/accept`}>
                <input type="hidden" name="key" value={answerKey} />
                <button type="submit" class="danger">
                  Yes, give up {money(dispute.amountCents)}
                </button>
              </Form>
            ) : (
              <a class="button quiet" href={`${path}?accept=ask`}>
                Accept the dispute
              </a>
            )}
          </div>
          {staged.length === 0 ? <small class="help">Keep evidence ready first.</small> : null}
        </Card>
      ) : null}
    </>
  );
}
