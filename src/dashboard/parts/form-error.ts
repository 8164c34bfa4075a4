import { Refusal, refusals } from '../../domain/refusals.ts';
import type { Notice } from './view.ts';

/** What a page says of a refusal, and the status it is sent with. */
export interface FormError {
  status: number;
  notice: Notice;
}

/** Runs an action; returns what it did, or why it was refused. Whatever is no refusal is thrown on. */
export async function catchRefusal<Result>(
  work: () => Promise<Result>,
): Promise<{ ok: true; result: Result } | ({ ok: false } & FormError)> {
  try {
    return { ok: true, result: await work() };
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'service_unavailable' || error.code === 'not_found') {
      throw error;
    }
    return { ok: false, ...formError(error.message, refusals[error.code].status) };
  }
}

/** Returns a refusal in words of the page's own. */
export const formError = (text: string, status = 422): FormError => ({
  status,
  notice: { kind: 'bad', text: text.charAt(0).toUpperCase() + text.slice(1) },
});

/** What is said of a wrong password, code or name: never which of them it was. */
export const wrongPassword = formError(
  'name, password or code is wrong. Each code works once; after three wrong tries the next has to wait, longer each time.',
  403,
);
