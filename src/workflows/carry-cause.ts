import { type WorkflowInterceptorsFactory, defaultPayloadConverter } from '@temporalio/workflow';
import { type CauseHeader, causeHeader } from '../temporal/contract/cause-header.ts';
import { requestOfUpdate } from '../temporal/contract/ids.ts';

type Inbound = NonNullable<ReturnType<WorkflowInterceptorsFactory>['inbound']>[number];
type Headers = Parameters<NonNullable<Inbound['execute']>>[0]['headers'];

/**
 * Returns the interceptors that add the cause of the newest call to everything that the workflow schedules. A
 * payment's activities are scheduled by its loop, not by the handler of the update, so the cause must be
 * carried over. It changes headers only, so no command depends on it. Without tracing, the update's id names
 * the request. ADR 0060.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let newest: Headers[string] | undefined;
  const remember = (headers: Headers): void => {
    newest = headers[causeHeader] ?? newest;
  };
  const addCause = <Input extends { headers: Headers }>(input: Input): Input =>
    newest === undefined ? input : { ...input, headers: { ...input.headers, [causeHeader]: newest } };
  return {
    inbound: [
      {
        execute: (input, next) => {
          remember(input.headers);
          return next(input);
        },
        handleSignal: (input, next) => {
          remember(input.headers);
          return next(input);
        },
        handleUpdate: (input, next) => {
          remember({ ...causeOfUpdate(input.updateId), ...input.headers });
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(addCause(input)),
        scheduleLocalActivity: (input, next) => next(addCause(input)),
        startChildWorkflowExecution: (input, next) => next(addCause(input)),
        continueAsNew: (input, next) => next(addCause(input)),
      },
    ],
  };
};

/** Returns the header with the request that an update's id names; empty when it names none. */
function causeOfUpdate(updateId: string): Headers {
  const requestId = requestOfUpdate(updateId);
  const cause: CauseHeader | null = requestId === null ? null : { requestId };
  return cause === null ? {} : { [causeHeader]: defaultPayloadConverter.toPayload(cause) };
}
