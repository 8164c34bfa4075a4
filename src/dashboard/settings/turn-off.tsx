import type { ComponentChildren } from 'preact';
import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.settings;

/** The button that turns a setting off, and its confirmation. */
export function TurnOff({
  frame,
  of,
  question,
  children,
}: {
  frame: Frame;
  of: 'custom-mode' | 'custom-actions' | 'refund-late';
  question: string;
  /** The effect. */
  children: ComponentChildren;
}) {
  const path = `${frame.base}/settings`;
  const act = `${of}-off`;
  return isRequested(frame, act) ? (
    <Confirmation
      frame={frame}
      question={question}
      to={`${path}/${of}`}
      fields={{ on: 'off' }}
      yes={text.turnOff}
      back={path}
    >
      {children}
    </Confirmation>
  ) : (
    <div class="actions">
      <ConfirmLink path={path} act={act} testId={of}>
        {text.turnOff}
      </ConfirmLink>
    </div>
  );
}
