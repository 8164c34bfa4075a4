import type { ComponentChildren } from 'preact';
import { texts } from '../texts/en.ts';
import { Form } from './fields.tsx';
import type { RequestedAction, Frame } from './view.ts';

/** Returns the action for which an address requests a confirmation (`?ask=revoke&id=…`); null for none. */
export function requestedAction(query: URLSearchParams): RequestedAction | null {
  const act = query.get('ask');
  return act === null ? null : { act, id: query.get('id') ?? '' };
}

/** Whether the page must show the confirmation of this action on this object. */
export const isRequested = ({ requested }: Frame, act: string, id = ''): boolean =>
  requested?.act === act && requested.id === id;

/**
 * The link that opens the confirmation of an irreversible action. It is a link so that it works without
 * script.
 */
export function ConfirmLink({
  path,
  act,
  id = '',
  label,
  children,
  danger = false,
  testId,
}: {
  /** Address of the page that confirms. */
  path: string;
  act: string;
  id?: string;
  /** For screen readers, if the text alone is ambiguous, as in a table. */
  label?: string;
  children: ComponentChildren;
  danger?: boolean;
  testId?: string;
}) {
  const query = new URLSearchParams({ ask: act, ...(id === '' ? {} : { id }) }).toString();
  return (
    <a
      class="btn"
      data-variant={danger ? 'destructive' : 'outline'}
      href={`${path}${path.includes('?') ? '&' : '?'}${query}#asking`}
      aria-label={label}
      data-testid={testId}
    >
      {children}
    </a>
  );
}

/** The confirmation of an action: its question, its effect, the button that performs it, and a way back. */
export function Confirmation({
  frame,
  question,
  to,
  fields = {},
  yes,
  back,
  danger = true,
  children,
}: {
  frame: Frame;
  question: string;
  /** The address to which the form posts, with hidden fields. */
  to: string;
  fields?: Readonly<Record<string, string>>;
  yes: string;
  back: string;
  danger?: boolean;
  /** The effect of the action. */
  children: ComponentChildren;
}) {
  return (
    <div id="asking" class="asking" role="group" aria-labelledby="asking-question" tabIndex={-1}>
      <h3 id="asking-question">{question}</h3>
      <p>{children}</p>
      <div class="actions">
        <Form frame={frame} to={to}>
          {Object.entries(fields).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <button
            type="submit"
            class="btn"
            data-variant={danger ? 'destructive' : undefined}
            data-testid="asking-yes"
          >
            {yes}
          </button>
        </Form>
        <a class="btn" data-variant="outline" href={back} data-testid="asking-no">
          {texts.common.goBack}
        </a>
      </div>
    </div>
  );
}
