import type { Scheduler } from './scheduler.ts';

/** The kind of fault, as the line of faults names it, and its share of the declines that are written. */
const refusedText = 'text refused by the database';
const share = 0.1;

/** The statement that writes why an attempt failed, and the place of the text among its values. */
const writesFailure = /UPDATE attempts SET status = \$3, failure_code = \$4, failure_message = \$5/;
const textAt = 4;
/** The text that the service writes itself in place of one that the database refuses. */
const ownText = 'The payment could not be processed.';

/**
 * Returns the values of a statement. In some that write why an attempt failed, the text has a character that
 * the database refuses, as one with another encoding refuses some of a network's.
 */
export function withRefusedText(
  statement: string,
  values: unknown[] | undefined,
  scheduler: Scheduler,
): unknown[] | undefined {
  const text = values?.[textAt];
  if (typeof text !== 'string' || text === ownText || !writesFailure.test(statement)) return values;
  if (!scheduler.draws(refusedText, share)) return values;
  return values?.with(textAt, `${text}\u0000`);
}
