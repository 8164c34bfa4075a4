import { texts } from '../texts/en.ts';
import type { Notice } from './view.ts';

const { notices } = texts.common;

/** What a form did, as the address of the next page names it. */
export type Done = keyof typeof notices;

/** Returns the notice for a form's result in the address; null for an unknown one. */
export function formNotice(mark: string | null): Notice | null {
  return mark !== null && Object.hasOwn(notices, mark) ? { kind: 'good', text: notices[mark as Done] } : null;
}
