import { entryNamed } from '../../domain/entry-named.ts';
import type { DisputeFile } from '../../db/disputes/dispute-files.ts';
import { type DisputeRecord, maxEvidenceCharacters } from '../../domain/dispute.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { Confirmation } from '../parts/confirmation.tsx';
import { Checkbox, Form } from '../parts/fields.tsx';
import { count, labelOf, money } from '../parts/format.ts';
import { Card, Empty, PhoneFold } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { FileList, FilesCard } from './files.tsx';
import { factsForNetwork } from './payment-facts.ts';
import { DisputeSummary } from './summary.tsx';

const text = texts.disputes;

/** The evidence fields of the form, by their API names. */
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
  /** Whether the customer completed the bank's step of the paid attempt. */
  authenticated: boolean;
  /** What happened to the payment, as dated lines that the evidence may use. */
  story: string;
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
      <DisputeSummary frame={frame} dispute={dispute} payment={payment} open={open} late={late} />
      <div class={responds ? 'answering' : 'stack'}>
        {responds && !late ? (
          <div class="advice">
            <Card title={text.advice}>
              <p data-testid="advice">{entryNamed(advice, dispute.reason) ?? text.otherAdvice}</p>
            </Card>
          </div>
        ) : null}
        <div class="evidence">
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
        </div>
        {responds ? (
          <div class="answer" data-follows-draft>
            <ResponseCard frame={frame} data={data} late={late} />
          </div>
        ) : null}
      </div>
    </>
  );
}

const advice: Readonly<Record<string, string>> = text.adviceByReason;

/** Whether a draft of the evidence is saved. */
const isStaged = ({ evidence }: DisputeRecord): boolean => Object.keys(evidence).length > 0;

function EvidenceForm({ frame, data }: { frame: Frame; data: DisputePageData }) {
  const { dispute, typed } = data;
  const { evidence, autoSubmit } = typed ?? dispute;
  const known = evidenceFields.map(([name]) => name);
  const own = Object.keys(dispute.evidence).filter((name) => !known.includes(name));
  const isEmpty = typed === null && !isStaged(dispute);
  const facts = isEmpty ? factsForNetwork(data.payment, data.authenticated) : null;
  return (
    <Form
      frame={frame}
      to={`${frame.base}/disputes/${dispute.id}/evidence`}
      class="fields"
      id={evidenceForm}
      data-autosave={text.savedAt}
    >
      {facts === null ? null : <p>{text.filledIn(text.evidenceFields.uncategorizedText)}</p>}
      {[...known, ...own].map((name) => (
        <PhoneFold
          key={name}
          title={evidenceLabel(name)}
          state={<EvidenceState />}
          isOpen={typed !== null && (evidence[name] ?? '') !== ''}
        >
          <div class="field">
            <label for={`evidence-${name}`}>{evidenceLabel(name)}</label>
            <Hint name={name} />
            {name === 'uncategorizedText' && data.story !== '' ? <StoryOffer story={data.story} /> : null}
            {/* While the placeholder is shown, the style shows the field as empty. */}
            <textarea
              id={`evidence-${name}`}
              aria-describedby={hints[name] === undefined ? undefined : `evidence-${name}-help`}
              name={`evidence.${name}`}
              placeholder=" "
            >
              {evidence[name] ?? (name === 'uncategorizedText' ? facts : null) ?? ''}
            </textarea>
          </div>
        </PhoneFold>
      ))}
      <small class="help">{text.evidenceHelp(count(maxEvidenceCharacters))}</small>
      <Checkbox name="autoSubmit" value="on" checked={autoSubmit}>
        {text.autoSubmit}
      </Checkbox>
      <div class="actions">
        <button type="submit" class="btn" data-variant="outline">
          {text.saveDraft}
        </button>
        <span class="quiet-text" role="status" data-saved />
      </div>
    </Form>
  );
}

/** Whether a folded field is filled in. The style shows the word that is true, also while one types. */
const EvidenceState = () => (
  <>
    <span class="if-empty">{text.notFilled}</span>
    <span class="if-filled">{text.filled}</span>
  </>
);

/** The id of the form, for its button in the response. */
const evidenceForm = 'evidence';

/** Lines that the merchant can copy into the evidence. */
const StoryOffer = ({ story }: { story: string }) => (
  <details data-testid="dispute-story">
    <summary>{text.story}</summary>
    <small class="help">{text.storyHelp}</small>
    <pre>{story}</pre>
    <button
      type="button"
      class="btn"
      data-variant="outline"
      data-copy={story}
      data-copied={texts.common.copied}
      data-copy-failed={texts.common.copyFailed}
      hidden
    >
      {texts.common.copy}
    </button>
  </details>
);

const hints: Readonly<Record<string, string>> = text.evidenceHints;

/** Help for a field, shown above it. */
const Hint = ({ name }: { name: string }) =>
  hints[name] === undefined ? null : (
    <small id={`evidence-${name}-help`} class="help">
      {hints[name]}
    </small>
  );

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

/** The two responses. `late`: the deadline for evidence has passed, so the merchant can only accept. */
function ResponseCard({ frame, data, late }: { frame: Frame; data: DisputePageData; late: boolean }) {
  const { dispute, confirming } = data;
  const path = `${frame.base}/disputes/${dispute.id}`;
  if (confirming !== null && !(late && confirming === 'submit')) {
    return (
      <Card title={text.response}>
        <AnswerConfirmation answer={confirming} data={data} frame={frame} />
      </Card>
    );
  }
  const accept = (
    <a class="btn" data-variant="destructive" href={`${path}?answer=accept#asking`}>
      {text.accept}
    </a>
  );
  if (late) {
    return (
      <Card title={text.response}>
        <p>{text.lateAnswerText}</p>
        <details>
          <summary>{text.lateAccept}</summary>
          {accept}
        </details>
      </Card>
    );
  }
  return (
    <Card title={text.response}>
      <p>{text.responseText}</p>
      <div class="actions">
        {isStaged(dispute) ? (
          <a class="btn" href={`${path}?answer=submit#asking`}>
            {text.submit}
          </a>
        ) : (
          <button type="submit" class="btn" form={evidenceForm} name="then" value="submit">
            {text.submit}
          </button>
        )}
        {accept}
      </div>
      {isStaged(dispute) ? (
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

/** Confirms a response, and explains its effect. */
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
