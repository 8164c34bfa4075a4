import { type DisputeRecord, maxEvidenceCharacters } from '../../domain/dispute.ts';
import { Confirmation } from '../parts/confirmation.tsx';
import { count, distance, labelOf, money, timeLeft } from '../parts/format.ts';
import { Form } from '../parts/fields.tsx';
import { inZone, ListFoot, type ListSorts, type Tab, Tabs } from '../parts/list.tsx';
import { Card, Empty, Facts, None, Status, Table, Time } from '../parts/parts.tsx';
import type { Frame, ListPages } from '../parts/view.ts';
import { PaymentLink, type References } from '../payments/list-page.tsx';
import { texts } from '../texts/en.ts';

const text = texts.disputes;

export function DisputesPage({
  frame,
  disputes,
  references,
  status,
  pages,
  tabs,
  sorts,
}: {
  frame: Frame;
  disputes: readonly DisputeRecord[];
  references: References;
  status: string;
  pages: ListPages;
  tabs: readonly Tab[];
  sorts: ListSorts;
}) {
  return (
    <>
      <Tabs label={text.statuses} tabs={tabs} />
      <section class="card">
        {disputes.length === 0 ? (
          <Empty>{status === '' ? text.empty : text.noMatch}</Empty>
        ) : (
          <DisputeTable frame={frame} disputes={disputes} references={references} sorts={sorts} />
        )}
        <ListFoot {...pages} />
      </section>
    </>
  );
}

export function DisputeTable({
  frame,
  disputes,
  references,
  sorts,
}: {
  frame: Frame;
  disputes: readonly DisputeRecord[];
  /** Heads that sort them. */
  sorts?: ListSorts;
  /** Of their payments; absent on the page of their payment. */
  references?: References;
}) {
  return (
    <Table
      label={text.title}
      brief
      isList={references !== undefined}
      rows={disputes}
      rowKey={({ id }) => id}
      columns={[
        {
          head: text.reason,
          cell: ({ id, reason }) => <a href={`${frame.base}/disputes/${id}`}>{labelOf(reason)}</a>,
        },
        {
          head: text.amount,
          end: true,
          sort: sorts?.byAmount,
          cell: ({ amountCents }) => money(amountCents),
        },
        { head: texts.common.status, cell: ({ status }) => <Status of={status} /> },
        ...(references === undefined
          ? []
          : [
              {
                head: text.payment,
                cell: ({ paymentId }: DisputeRecord) => (
                  <PaymentLink frame={frame} id={paymentId} references={references} />
                ),
              },
            ]),
        { head: text.stage, cell: ({ stage }) => labelOf(stage) },
        {
          head: inZone(text.due, frame),
          cell: ({ evidenceDueAt, status }) =>
            status === 'needsResponse' ? (
              <>
                {distance(evidenceDueAt, frame.nowMs)}{' '}
                <small class="quiet-text">
                  <Time at={evidenceDueAt} frame={frame} />
                </small>
              </>
            ) : (
              <None />
            ),
        },
        {
          head: inZone(text.opened, frame),
          sort: sorts?.byTime,
          cell: ({ createdAt }) => <Time at={createdAt} frame={frame} recent />,
        },
      ]}
    />
  );
}

/** The evidence that the form has, by the API's names. */
const evidenceFields = Object.entries(text.evidenceFields);

const evidenceLabel = (name: string): string =>
  evidenceFields.find(([known]) => known === name)?.[1] ?? labelOf(name);

/** The final responses to a dispute. */
export const disputeAnswers = ['submit', 'accept'] as const;
export type DisputeAnswer = (typeof disputeAnswers)[number];

/** A dispute with the state of its page. */
export interface DisputePageData {
  dispute: DisputeRecord;
  /** The merchant's reference of the payment. */
  reference: string;
  /** The form's values after it was rejected. */
  typed: { evidence: Readonly<Record<string, string>>; autoSubmit: boolean } | null;
  /** The idempotency key of the form. */
  answerKey: string;
  /** The response to confirm now. */
  confirming: DisputeAnswer | null;
}

/** A dispute with its evidence and the responses to it, which are final and have to be confirmed. */
export function DisputePage({ frame, data }: { frame: Frame; data: DisputePageData }) {
  const { dispute, reference } = data;
  const open = dispute.status === 'needsResponse' && dispute.submittedAt === null;
  const late = dispute.evidenceDueAt.getTime() <= frame.nowMs;
  const responds = open && frame.may('dispute');
  return (
    <>
      <Card title={money(dispute.amountCents)} aside={<Status of={dispute.status} />}>
        <Facts
          of={[
            [text.reason, labelOf(dispute.reason)],
            [text.stage, labelOf(dispute.stage)],
            [
              text.respondBy,
              <>
                <Time at={dispute.evidenceDueAt} frame={frame} />
                {open && !late ? ` (${timeLeft(dispute.evidenceDueAt, frame.nowMs)})` : null}
              </>,
            ],
            [text.submitted, dispute.submittedAt && <Time at={dispute.submittedAt} frame={frame} />],
            [text.outcome, dispute.resolution && labelOf(dispute.resolution)],
            [text.payment, <a href={`${frame.base}/payments/${dispute.paymentId}`}>{reference}</a>],
          ]}
        />
      </Card>
      <Card title={text.evidence}>
        {responds && !late ? (
          <EvidenceForm frame={frame} data={data} />
        ) : (
          <EvidenceTexts evidence={dispute.evidence} />
        )}
      </Card>
      {responds ? <ResponseCard frame={frame} data={data} late={late} /> : null}
    </>
  );
}

function EvidenceForm({ frame, data: { dispute, typed } }: { frame: Frame; data: DisputePageData }) {
  const { evidence, autoSubmit } = typed ?? dispute;
  const known = evidenceFields.map(([name]) => name);
  const own = Object.keys(dispute.evidence).filter((name) => !known.includes(name));
  return (
    <Form frame={frame} to={`${frame.base}/disputes/${dispute.id}/evidence`} class="fields">
      {[...known, ...own].map((name) => (
        <div class="field" key={name}>
          <label for={`evidence-${name}`}>{evidenceLabel(name)}</label>
          <textarea id={`evidence-${name}`} name={`evidence.${name}`}>
            {evidence[name] ?? ''}
          </textarea>
        </div>
      ))}
      <small class="help">{text.evidenceHelp(count(maxEvidenceCharacters))}</small>
      <label class="check">
        <input type="checkbox" name="autoSubmit" value="on" checked={autoSubmit} />
        {text.autoSubmit}
      </label>
      <div class="actions">
        <button type="submit">{text.saveDraft}</button>
      </div>
    </Form>
  );
}

function EvidenceTexts({ evidence }: Pick<DisputeRecord, 'evidence'>) {
  const written = Object.entries(evidence);
  if (written.length === 0) return <Empty>{text.noEvidence}</Empty>;
  return (
    <dl class="stack">
      {written.map(([name, value]) => (
        <div key={name}>
          <dt>
            <strong>{evidenceLabel(name)}</strong>
          </dt>
          <dd>
            <pre>{value}</pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The two responses. `late`: the deadline for evidence has passed, and only accepting is left. */
function ResponseCard({ frame, data, late }: { frame: Frame; data: DisputePageData; late: boolean }) {
  const { dispute, confirming } = data;
  const path = `${frame.base}/disputes/${dispute.id}`;
  const isStaged = Object.keys(dispute.evidence).length > 0;
  if (confirming !== null && !(late && confirming === 'submit')) {
    return (
      <Card title={text.response}>
        <AnswerConfirmation answer={confirming} data={data} frame={frame} />
      </Card>
    );
  }
  return (
    <Card title={text.response}>
      <p>{late ? text.lateResponseText : text.responseText}</p>
      <div class="actions">
        {isStaged && !late ? (
          <a class="button" href={`${path}?answer=submit#asking`}>
            {text.submit}
          </a>
        ) : null}
        <a class="button danger" href={`${path}?answer=accept#asking`}>
          {text.accept}
        </a>
      </div>
      {isStaged || late ? null : <small class="help">{text.nothingToSubmit}</small>}
    </Card>
  );
}

/** Confirms a response, and says what it does. */
function AnswerConfirmation({
  answer,
  data,
  frame,
}: {
  answer: DisputeAnswer;
  data: DisputePageData;
  frame: Frame;
}) {
  const { dispute, answerKey } = data;
  const path = `${frame.base}/disputes/${dispute.id}`;
  const sum = money(dispute.amountCents);
  const names = Object.keys(dispute.evidence).map(evidenceLabel);
  const submits = answer === 'submit';
  return (
    <Confirmation
      frame={frame}
      question={submits ? text.submitQuestion : text.acceptQuestion}
      to={`${path}/${answer}`}
      fields={{ key: answerKey }}
      yes={submits ? text.submitConfirm : text.acceptConfirm(sum)}
      back={path}
      danger={!submits}
    >
      {submits ? text.submitText(names.join('; ')) : text.acceptText(sum)}
    </Confirmation>
  );
}
