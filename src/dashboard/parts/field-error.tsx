import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Notice } from './view.ts';

/** The notice of the page, which can name the form field that is at fault. */
export const RejectedField = createContext<Notice | null>(null);

/** The values of a rejected form; null outside of one. */
export const TypedValues = createContext<URLSearchParams | null>(null);

/** The attributes of an input, and the error below it. */
export interface FieldState {
  attributes: {
    'aria-describedby'?: string;
    'aria-invalid'?: 'true';
    autoFocus?: true;
  };
  error: string | null;
}

/**
 * Returns the state of the input with an id. A rejected input is described by its error and gets the focus.
 * `help`: the id of the text that describes the input in any case.
 */
export function useFieldState(id: string, help: string | null): FieldState {
  const notice = useContext(RejectedField);
  const error = notice?.kind === 'bad' && notice.field === id ? notice.text : null;
  const described = [...(error === null ? [] : [`${id}-error`]), ...(help === null ? [] : [help])];
  return {
    attributes: {
      ...(described.length === 0 ? {} : { 'aria-describedby': described.join(' ') }),
      ...(error === null ? {} : { 'aria-invalid': 'true', autoFocus: true }),
    },
    error,
  };
}

/** The error of a field, below its input. */
export const FieldError = ({ id, error }: { id: string; error: string | null }) =>
  error === null ? null : (
    <p id={`${id}-error`} class="text-destructive">
      {error}
    </p>
  );
