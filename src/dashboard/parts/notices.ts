import { texts } from '../texts/en.ts';
import type { Notice } from './view.ts';

const { notices } = texts.common;

/** The result of a form, as the address of the next page names it. */
export type NoticeName = keyof typeof notices;

/** Returns the notice for the form result that an address names; null for an unknown one. */
export function formNotice(mark: string | null): Notice | null {
  return mark !== null && Object.hasOwn(notices, mark)
    ? { kind: 'good', text: notices[mark as NoticeName] }
    : null;
}
