import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { FieldError, TypedValues, useFieldState } from './field-error.tsx';
import type { Frame } from './view.ts';

/** Returns what was typed in the form that posts to a path; null if the page does not reject that form. */
export const typedValuesOf = (
  { rejected }: Partial<Pick<Frame, 'rejected'>>,
  to: string,
): URLSearchParams | null => (rejected?.path === to ? rejected.typed : null);

/** A form that posts, with its CSRF token. If it was rejected, its fields keep what was typed. */
export function Form({
  frame,
  to,
  children,
  ...rest
}: {
  frame: Pick<Frame, 'csrf'> & Partial<Pick<Frame, 'rejected'>>;
  to: string;
  children: ComponentChildren;
  class?: string;
  encType?: 'multipart/form-data';
  id?: string;
  /** The id of the frame that previews the typed values. */
  'data-preview'?: string;
  'data-passkey'?: 'create' | 'get';
  'data-options'?: string;
  /** The fields on which it depends whether the form needs a recent confirmation, separated by spaces. */
  'data-ask-with'?: string;
  /** The text shown after a draft was saved automatically, with `{time}`. */
  'data-autosave'?: string;
}) {
  return (
    <form method="post" action={to} {...rest}>
      <input type="hidden" name="csrf" value={frame.csrf} />
      <TypedValues.Provider value={typedValuesOf(frame, to)}>{children}</TypedValues.Provider>
    </form>
  );
}

/** A field's label and attributes. */
interface FieldProps {
  label: string;
  /** Whether only screen readers need the label, as in a table whose head names the column. */
  isLabelHidden?: boolean;
  help?: string;
  id: string;
  name: string;
  type?: 'text' | 'search' | 'date' | 'datetime-local' | 'password' | 'number' | 'email' | 'url' | 'file';
  value?: string;
  required?: boolean;
  disabled?: boolean;
  maxLength?: number;
  min?: number;
  max?: number;
  accept?: string;
  placeholder?: string;
  inputMode?: 'decimal' | 'numeric' | 'url';
  autocomplete?: 'off' | 'username' | 'current-password' | 'new-password' | 'one-time-code';
  'data-testid'?: string;
}

/** Whether a typed value may be returned to the browser, unlike a password, a code or a file. */
const isKept = ({ type, autocomplete }: Pick<FieldProps, 'type' | 'autocomplete'>): boolean =>
  type !== 'password' && type !== 'file' && autocomplete !== 'one-time-code';

/** A field with its label and help, and the error for which its form was rejected. */
export function Field({
  label,
  isLabelHidden = false,
  help,
  id,
  type = 'text',
  value,
  ...input
}: FieldProps) {
  const { attributes, error } = useFieldState(id, help === undefined ? null : `${id}-help`);
  const typed = useContext(TypedValues)?.get(input.name) ?? undefined;
  const kept = typed !== undefined && isKept({ type, ...input }) ? typed : value;
  const props = { id, type, ...input, ...(kept === undefined ? {} : { value: kept }), ...attributes };
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'sr-only' : undefined}>
        {label}
      </label>
      <input {...(props as object)} />
      <FieldError id={id} error={error} />
      {help === undefined ? null : (
        <small id={`${id}-help`} class="help">
          {help}
        </small>
      )}
    </div>
  );
}

/** A field for several lines, with its label and the error for which its form was rejected. */
export function TextArea({
  label,
  id,
  value,
  ...rest
}: {
  label: string;
  id: string;
  name: string;
  value: string;
  placeholder?: string;
  required?: boolean;
}) {
  const { attributes, error } = useFieldState(id, null);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} {...rest} {...attributes}>
        {value}
      </textarea>
      <FieldError id={id} error={error} />
    </div>
  );
}

/** A checkbox with its label. `name`: none for a choice that cannot be made. */
export const Checkbox = ({
  children,
  ...input
}: {
  children: ComponentChildren;
  name?: string;
  value?: string;
  checked?: boolean | undefined;
  disabled?: boolean;
  'data-testid'?: string;
}) => (
  <label class="label check">
    <input type="checkbox" class="input" {...input} />
    {children}
  </label>
);

/** A field for the first or last day of a list. An instant in the address is kept as it is. */
export const DayField = ({ label, name, value }: { label: string; name: 'from' | 'to'; value: string }) => (
  <Field label={label} id={name} name={name} type={value.includes('T') ? 'text' : 'date'} value={value} />
);

/** A choice of one option. */
export function Choice({
  label,
  id,
  name,
  options,
  value,
}: {
  label: string;
  id: string;
  name: string;
  options: readonly { value: string; label: string }[];
  value: string;
}) {
  const chosen = useContext(TypedValues)?.get(name) ?? value;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select class="w-full" id={id} name={name}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === chosen}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

/**
 * The search form of a list. Its fields are part of the address, so that a result can be shared. `searched`:
 * whether any field is filled in.
 */
export const SearchForm = ({
  action,
  searched,
  live = false,
  button = texts.common.search,
  clear = texts.common.clearFilters,
  children,
}: {
  action: string;
  searched: boolean;
  /** Whether the results update while the member types, if script runs. */
  live?: boolean;
  button?: string;
  /** The link to the list without this search. */
  clear?: string;
  children: ComponentChildren;
}) => (
  <form class="filters" method="get" action={action} role="search" data-live={live || undefined}>
    {children}
    <button type="submit" class="btn">
      {button}
    </button>
    {searched ? <a href={action}>{clear}</a> : null}
  </form>
);
