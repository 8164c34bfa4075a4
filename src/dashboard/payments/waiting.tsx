import type { WaitingFor } from '../../domain/waiting.ts';
import { waitingTexts } from '../../domain/waiting-texts.ts';
import { distance, timeLeft } from '../parts/format.ts';
import { Time } from '../parts/parts.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.payments;

/** Sentences with the deadline in them, by the next step that they describe. */
const sentences: Readonly<Record<string, string>> = {
  [waitingTexts.customerPays]: text.customerPays,
  [waitingTexts.customerRetries]: text.customerRetries,
  [waitingTexts.refundDelayed]: text.refundDelayed,
  [waitingTexts.customerConfirms]: text.customerConfirms,
};

/**
 * What a payment waits for, as one sentence. It stands out only if the merchant or the operator has to act.
 * `dispute`: the id of the dispute whose deadline the merchant has to meet.
 */
export function Waiting({
  waiting,
  dispute,
  frame,
}: {
  waiting: WaitingFor;
  dispute: string | null;
  frame: Frame;
}) {
  const until = waiting.until === null ? null : new Date(waiting.until);
  if (waiting.who === 'deadline' && dispute !== null && until !== null) {
    return (
      <div class="alert callout" data-testid="why-pending">
        <strong>{text.waitingForYou}</strong>
        <span>
          {withMarkup(text.respondBy, {
            time: <Time at={until} frame={frame} />,
            left: timeLeft(until, frame.nowMs),
          })}
        </span>
        <a href={`${frame.base}/disputes/${dispute}`}>{text.respond}</a>
      </div>
    );
  }
  return (
    <p class={waiting.who === 'operator' ? 'alert callout' : 'alert callout calm'} data-testid="why-pending">
      <span>{sentenceOf(waiting, until, frame)}</span>
    </p>
  );
}

function sentenceOf({ next, since }: WaitingFor, until: Date | null, frame: Frame) {
  if (until === null)
    return withMarkup(text.waitingSince, { next, time: <ShortTime at={new Date(since)} frame={frame} /> });
  return withMarkup(sentences[next] ?? text.waitingUntil, {
    next,
    until: <ShortTime at={until} frame={frame} />,
    distance: distance(until, frame.nowMs),
  });
}

const halfDayMs = 43_200_000;

/** An instant; its day is omitted if it is near. */
const ShortTime = ({ at, frame }: { at: Date; frame: Frame }) => (
  <Time at={at} frame={frame} clock={Math.abs(at.getTime() - frame.nowMs) < halfDayMs} />
);
