import type { ComponentChildren } from 'preact';
import { Form } from './fields.tsx';
import type { RequestedAction, Frame } from './view.ts';

/** Returns the act that an address asks about (`?ask=revoke&id=…`); null for none. */
export function requestedAction(query: URLSearchParams): RequestedAction | null {
  const act = query.get('ask');
  return act === null ? null : { act, id: query.get('id') ?? '' };
}

/** Whether the page is to ask about this act, on this thing. */
export const isRequested = ({ requested }: Frame, act: string, id = ''): boolean =>
  requested?.act === act && requested.id === id;

/** Leads to the question before an act that cannot be taken back; a link, so that it needs no script. */
export function ConfirmLink({
  path,
  act,
  id = '',
  label,
  children,
  danger = false,
  testId,
}: {
  /** Address of the page that asks. */
  path: string;
  act: string;
  id?: string;
  /** What is read out where the word alone says too little, as in a table. */
  label?: string;
  children: ComponentChildren;
  danger?: boolean;
  testId?: string;
}) {
  const query = new URLSearchParams({ ask: act, ...(id === '' ? {} : { id }) }).toString();
  return (
    <a
      class={danger ? 'button danger' : 'button quiet'}
      href={`${path}${path.includes('?') ? '&' : '?'}${query}#asking`}
      aria-label={label}
      data-testid={testId}
    >
      {children}
    </a>
  );
}

/** Asks once more: what will be, the act by its name, and the way back. */
export function Confirmation({
  frame,
  question,
  to,
  fields = {},
  yes,
  no = 'Not yet',
  back,
  danger = true,
  children,
}: {
  frame: Frame;
  question: string;
  /** Where the act is posted to, with hidden fields. */
  to: string;
  fields?: Readonly<Record<string, string>>;
  yes: string;
  no?: string;
  back: string;
  danger?: boolean;
  /** What it does. */
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
          <button type="submit" class={danger ? 'danger' : undefined} data-testid="asking-yes">
            {yes}
          </button>
        </Form>
        <a class="button quiet" href={back} data-testid="asking-no">
          {no}
        </a>
      </div>
    </div>
  );
}
