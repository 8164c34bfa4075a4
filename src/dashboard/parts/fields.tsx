import type { ComponentChildren } from 'preact';
import { labelOf } from './format.ts';
import type { Frame } from './view.ts';

/** A form that posts, with the value that shows it is ours. */
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
  'data-passkey'?: 'create' | 'get';
  'data-options'?: string;
}) {
  return (
    <form method="post" action={to} {...rest}>
      <input type="hidden" name="csrf" value={frame.csrf} />
      {children}
    </form>
  );
}

/** What a field may be beside its label. */
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

/** A field with its label, and what it takes. */
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

/** A choice of one of a few. */
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

/** Filters a list by one status; the filter is the address. */
export function StatusFilter({
  action,
  statuses,
  value,
}: {
  action: string;
  statuses: readonly string[];
  value: string;
}) {
  const options = statuses.map((status) => ({ value: status, label: labelOf(status) }));
  return (
    <form class="filters" method="get" action={action}>
      <Choice
        label="Status"
        id="status"
        name="status"
        value={value}
        options={[{ value: '', label: 'All' }, ...options]}
      />
      <button type="submit">Show</button>
    </form>
  );
}

/**
 * The form that searches a list: its fields are the address, so that what it finds can be sent to somebody.
 * `searched`: whether any of them is filled in.
 */
export const SearchForm = ({
  action,
  searched,
  children,
}: {
  action: string;
  searched: boolean;
  children: ComponentChildren;
}) => (
  <form class="filters" method="get" action={action} role="search">
    {children}
    <button type="submit">Search</button>
    {searched ? <a href={action}>Clear</a> : null}
  </form>
);
