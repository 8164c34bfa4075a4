import type { DisputeFile } from '../../db/disputes/dispute-files.ts';
import { type DisputeRecord, maxEvidenceCharacters } from '../../domain/dispute.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { Confirmation } from '../parts/confirmation.tsx';
import { Form } from '../parts/fields.tsx';
import { count, labelOf, money, timeLeft } from '../parts/format.ts';
import { Card, Empty, Facts, Status, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { FileList, FilesCard } from './files.tsx';
import { factsForNetwork } from './payment-facts.ts';

const text = texts.disputes;

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
  payment: PaymentRecord;
  files: readonly DisputeFile[];
  /** The customer completed the bank's step of the attempt that was paid. */
  authenticated: boolean;
  /** The form's values after it was rejected. */
  typed: { evidence: Readonly<Record<string, string>>; autoSubmit: boolean } | null;
  /** The idempotency key of the form. */
  answerKey: string;
  /** The response to confirm now. */
  confirming: DisputeAnswer | null;
}

/** A dispute with its evidence and the responses to it, which are final and have to be confirmed. */
export function DisputePage({ frame, data }: { frame: Frame; data: DisputePageData }) {
  const { dispute, payment } = data;
  const open = dispute.status === 'needsResponse' && dispute.submittedAt === null;
  const late = dispute.evidenceDueAt.getTime() <= frame.nowMs;
  const responds = open && frame.may('dispute');
  return (
    <>
      <Card title={text.details} aside={<Status of={dispute.status} />}>
        {open ? <Deadline frame={frame} dispute={dispute} late={late} /> : null}
        <Facts
          of={[
            [text.reason, labelOf(dispute.reason)],
            [text.stage, labelOf(dispute.stage)],
            [text.respondBy, <Time at={dispute.evidenceDueAt} frame={frame} />],
            [text.submitted, dispute.submittedAt && <Time at={dispute.submittedAt} frame={frame} />],
            [text.outcome, dispute.resolution && labelOf(dispute.resolution)],
            [text.payment, <a href={`${frame.base}/payments/${dispute.paymentId}`}>{payment.reference}</a>],
          ]}
        />
      </Card>
      {responds && !late ? (
        <Card title={text.advice}>
          <p data-testid="advice">{advice[dispute.reason] ?? text.otherAdvice}</p>
        </Card>
      ) : null}
      <Card title={text.evidence}>
        {responds && !late ? (
          <EvidenceForm frame={frame} data={data} />
        ) : (
          <EvidenceTexts evidence={dispute.evidence} />
        )}
      </Card>
      <FilesCard
        frame={frame}
        path={`${frame.base}/disputes/${dispute.id}`}
        files={data.files}
        mayChange={responds && !late}
      />
      {responds ? (
        <div data-follows-draft>
          <ResponseCard frame={frame} data={data} late={late} />
        </div>
      ) : null}
    </>
  );
}

const advice: Readonly<Record<string, string>> = text.adviceByReason;

/** How much of the time to respond is left. */
function Deadline({ frame, dispute, late }: { frame: Frame; dispute: DisputeRecord; late: boolean }) {
  if (late) return <p class="notice bad">{text.lateResponseText}</p>;
  const whole = dispute.evidenceDueAt.getTime() - dispute.createdAt.getTime();
  const left = dispute.evidenceDueAt.getTime() - frame.nowMs;
  return (
    <div class="deadline" data-testid="deadline">
      <label for="deadline">{text.leftToRespond(timeLeft(dispute.evidenceDueAt, frame.nowMs))}</label>
      <progress
        id="deadline"
        max={100}
        value={Math.min(100, Math.round((left / Math.max(whole, 1)) * 100))}
      />
    </div>
  );
}

function EvidenceForm({ frame, data }: { frame: Frame; data: DisputePageData }) {
  const { dispute, typed } = data;
  const { evidence, autoSubmit } = typed ?? dispute;
  const known = evidenceFields.map(([name]) => name);
  const own = Object.keys(dispute.evidence).filter((name) => !known.includes(name));
  const isEmpty = typed === null && Object.keys(dispute.evidence).length === 0;
  const facts = isEmpty ? factsForNetwork(data.payment, data.authenticated) : null;
  return (
    <Form
      frame={frame}
      to={`${frame.base}/disputes/${dispute.id}/evidence`}
      class="fields"
      data-autosave={text.savedAt}
    >
      {facts === null ? null : <p class="notice">{text.filledIn(text.evidenceFields.uncategorizedText)}</p>}
      {[...known, ...own].map((name) => (
        <div class="field" key={name}>
          <label for={`evidence-${name}`}>{evidenceLabel(name)}</label>
          <textarea id={`evidence-${name}`} name={`evidence.${name}`}>
            {evidence[name] ?? (name === 'uncategorizedText' ? facts : null) ?? ''}
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
        <span class="quiet-text" role="status" data-saved />
      </div>
    </Form>
  );
}

/** The evidence as the network receives it. */
function EvidenceTexts({ evidence }: Pick<DisputeRecord, 'evidence'>) {
  const written = Object.entries(evidence);
  if (written.length === 0) return <Empty>{text.noEvidence}</Empty>;
  return (
    <dl class="stack" data-testid="packet">
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
      <p>{late ? text.lateAnswerText : text.responseText}</p>
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
      {isStaged && !late ? (
        <details>
          <summary>{text.packet}</summary>
          <EvidenceTexts evidence={dispute.evidence} />
          {data.files.length === 0 ? null : (
            <>
              <strong>{text.keptFiles}</strong>
              <FileList frame={frame} path={path} files={data.files} />
            </>
          )}
        </details>
      ) : null}
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
