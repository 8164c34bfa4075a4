import { type DisputeRecord, disputeStatuses, maxEvidenceCharacters } from '../../domain/dispute.ts';
import { Confirmation } from '../parts/confirmation.tsx';
import { count, distance, money, labelOf } from '../parts/format.ts';
import { Form, StatusFilter } from '../parts/fields.tsx';
import { Card, Empty, Facts, Pager, Status, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { PaymentLink, type References } from '../payments/list-page.tsx';

export function DisputesPage({
  frame,
  disputes,
  references,
  status,
  pages,
}: {
  frame: Frame;
  disputes: readonly DisputeRecord[];
  references: References;
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
          <DisputeTable frame={frame} disputes={disputes} references={references} />
        )}
        <Pager {...pages} />
      </Card>
    </>
  );
}

export function DisputeTable({
  frame,
  disputes,
  references,
}: {
  frame: Frame;
  disputes: readonly DisputeRecord[];
  /** Of their payments; absent on the page of their payment. */
  references?: References;
}) {
  return (
    <Table
      label="Disputes"
      brief
      rows={disputes}
      rowKey={({ id }) => id}
      columns={[
        {
          head: 'Reason',
          cell: ({ id, reason }) => <a href={`${frame.base}/disputes/${id}`}>{labelOf(reason)}</a>,
        },
        { head: 'Amount', end: true, cell: ({ amountCents }) => money(amountCents) },
        { head: 'Status', cell: ({ status }) => <Status of={status} /> },
        ...(references === undefined
          ? []
          : [
              {
                head: 'Payment',
                cell: ({ paymentId }: DisputeRecord) => (
                  <PaymentLink frame={frame} id={paymentId} references={references} />
                ),
              },
            ]),
        { head: 'Stage', cell: ({ stage }) => labelOf(stage) },
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

/** What may be answered to a dispute, for good. */
export const disputeAnswers = ['submit', 'accept'] as const;
export type DisputeAnswer = (typeof disputeAnswers)[number];

/** A dispute with what its page is asked for. */
export interface DisputePageData {
  dispute: DisputeRecord;
  /** Of the payment: what the merchant knows the order by. */
  reference: string;
  /** Evidence as it was typed, where it was refused. */
  typed: { evidence: Readonly<Record<string, string>>; autoSubmit: boolean } | null;
  /** Same for the same form: sent twice, it answers once. */
  answerKey: string;
  /** The answer that is to be confirmed now. */
  asking: DisputeAnswer | null;
}

/** A dispute with its evidence, and the answers to it, which are final and asked for twice. */
export function DisputePage({ frame, data }: { frame: Frame; data: DisputePageData }) {
  const { dispute, reference, typed, asking } = data;
  const shown = typed ?? dispute;
  const path = `${frame.base}/disputes/${dispute.id}`;
  const open = dispute.status === 'needsResponse' && dispute.submittedAt === null;
  const staged = Object.entries(dispute.evidence);
  const own = staged.filter(([name]) => !evidenceFields.some(([known]) => known === name));
  return (
    <>
      <Card title={money(dispute.amountCents)} aside={<Status of={dispute.status} />}>
        <Facts
          of={[
            ['Reason', labelOf(dispute.reason)],
            ['Stage', labelOf(dispute.stage)],
            [
              'Evidence due',
              <>
                <Time at={dispute.evidenceDueAt} frame={frame} />
                {open ? ` (${distance(dispute.evidenceDueAt, frame.nowMs)})` : null}
              </>,
            ],
            ['Submitted', <Time at={dispute.submittedAt} frame={frame} />],
            ['Ended', dispute.resolution === null ? '–' : labelOf(dispute.resolution)],
            ['Payment', <a href={`${frame.base}/payments/${dispute.paymentId}`}>{reference}</a>],
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
                  {shown.evidence[name] ?? ''}
                </textarea>
              </div>
            ))}
            <small class="help">
              Up to {count(maxEvidenceCharacters)} characters in all. No card numbers.
            </small>
            <label class="check">
              <input type="checkbox" name="autoSubmit" value="on" checked={shown.autoSubmit} />
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
                  <strong>{labelOf(name)}</strong>
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
          {asking === null ? (
            <>
              <p>Submit the evidence that is kept ready, or accept. Either is final.</p>
              <div class="actions">
                {staged.length === 0 ? null : (
                  <a class="button" href={`${path}?answer=submit#asking`}>
                    Submit evidence
                  </a>
                )}
                <a class="button danger" href={`${path}?answer=accept#asking`}>
                  Accept the dispute
                </a>
              </div>
              {staged.length === 0 ? (
                <small class="help">There is nothing to submit yet: keep evidence ready first.</small>
              ) : null}
            </>
          ) : (
            <AnswerConfirmation asking={asking} data={data} frame={frame} />
          )}
        </Card>
      ) : null}
    </>
  );
}

/** Asks once more for what cannot be taken back, and says what it does. */
function AnswerConfirmation({
  asking,
  data,
  frame,
}: {
  asking: DisputeAnswer;
  data: DisputePageData;
  frame: Frame;
}) {
  const { dispute, answerKey } = data;
  const path = `${frame.base}/disputes/${dispute.id}`;
  const names = Object.keys(dispute.evidence).map(
    (name) => evidenceFields.find(([known]) => known === name)?.[1] ?? name,
  );
  const sum = money(dispute.amountCents);
  const submits = asking === 'submit';
  return (
    <Confirmation
      frame={frame}
      question={submits ? 'Submit the evidence?' : 'Accept the dispute?'}
      to={`${path}/${asking}`}
      fields={{ key: answerKey }}
      yes={submits ? 'Yes, submit it now' : `Yes, give up ${sum}`}
      back={path}
      danger={!submits}
    >
      {submits
        ? `The network gets what is kept ready, as it is: ${names.join('; ')}. Nothing can be added later.`
        : `The customer keeps ${sum}, and the dispute is lost.`}
    </Confirmation>
  );
}
