import { maxEvidenceCharacters } from '../../domain/dispute.ts';
import { Refusal, type RefusalCode, refusals } from '../../domain/refusals.ts';
import { texts } from '../texts/en.ts';
import { count } from './format.ts';
import type { Notice } from './view.ts';

/** The maximum number of calls into which one fault may be injected. */
export const maxFaults = 1_000;

/** Why a form was rejected, with the status of the page that shows it. */
export interface FormError {
  status: number;
  notice: Notice;
}

/** Returns an action's result, or the reason why it was refused. Rethrows every other error. */
export async function catchRefusal<Result>(
  work: () => Promise<Result>,
): Promise<{ ok: true; result: Result } | ({ ok: false } & FormError)> {
  try {
    return { ok: true, result: await work() };
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'service_unavailable' || error.code === 'not_found') {
      throw error;
    }
    const field = error.code === 'validation_failed' ? fieldIds[error.field ?? ''] : undefined;
    const { status } = refusals[error.code];
    const why = refusalText(error);
    return { ok: false, ...(field === undefined ? formError(why, status) : fieldError(field, why, status)) };
  }
}

const refusalTexts: Readonly<Partial<Record<RefusalCode, string>>> = texts.common.refusals;

/** The texts for an invalid field, by its API name. */
const fieldTexts: Readonly<Record<string, string>> = {
  amountCents: texts.payments.amountTooLarge,
  count: texts.developers.invalidFaultCount(count(maxFaults)),
  evidence: texts.disputes.evidenceInvalid(count(maxEvidenceCharacters)),
};

/** The ids of the inputs for an invalid field, by its API name. */
const fieldIds: Readonly<Record<string, string>> = {
  amountCents: 'refund-amount',
  count: 'fault-count',
};

/** Returns a refusal as a page shows it, without API field names. */
export function refusalText({ code, field = '' }: Refusal): string {
  const byField = code === 'validation_failed' ? fieldTexts[field] : undefined;
  return byField ?? refusalTexts[code] ?? texts.common.refusals.validation_failed;
}

/** Returns the rejection of a form, with a text of the page's own. */
export const formError = (sentence: string, status = 422): FormError => ({
  status,
  notice: { kind: 'bad', text: sentence },
});

/** Returns the rejection of a form because of one field, named by the id of its input. */
export const fieldError = (field: string, sentence: string, status = 422): FormError => ({
  status,
  notice: { kind: 'bad', text: sentence, field },
});

/**
 * The answer to a wrong name, password or code. It is the same for all three, so that none can be guessed
 * separately.
 */
export const wrongPassword = formError(texts.signIn.wrongPassword, 403);
