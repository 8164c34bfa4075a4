import type { ComponentChildren } from 'preact';
import { texts } from '../texts/en.ts';
import type { Frame } from './view.ts';

/** A form that posts, with its CSRF token. */
export function Form({
  frame,
  to,
  children,
  ...rest
}: {
  frame: Pick<Frame, 'csrf'>;
  to: string;
  children: ComponentChildren;
  class?: string;
  encType?: 'multipart/form-data';
  id?: string;
  /** The id of the frame that previews the typed values. */
  'data-preview'?: string;
  'data-passkey'?: 'create' | 'get';
  'data-options'?: string;
  /** The text shown after a draft was saved automatically, with `{time}`. */
  'data-autosave'?: string;
}) {
  return (
    <form method="post" action={to} {...rest}>
      <input type="hidden" name="csrf" value={frame.csrf} />
      {children}
    </form>
  );
}

/** A field's label and attributes. */
interface FieldProps {
  label: string;
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

/** A field with its label and help. */
export function Field({ label, help, id, type = 'text', ...input }: FieldProps) {
  const props = { id, type, ...input, ...(help === undefined ? {} : { 'aria-describedby': `${id}-help` }) };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input {...(props as object)} />
      {help === undefined ? null : (
        <small id={`${id}-help`} class="help">
          {help}
        </small>
      )}
    </div>
  );
}

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
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
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
    <button type="submit">{button}</button>
    {searched ? <a href={action}>{clear}</a> : null}
  </form>
);
