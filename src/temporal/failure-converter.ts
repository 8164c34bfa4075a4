import { DefaultFailureConverter } from '@temporalio/common';

/** Failure messages and stack traces go through the codec too; only failure types stay clear text. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
