import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { causeHeader } from '../temporal/contract/cause-header.ts';

/**
 * Returns the interceptors that hand the cause of the newest call to everything that the workflow has done:
 * the loop of a payment makes its activities, not the handler of the update. The header is passed on as it
 * came, nothing waits, and no command depends on it.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  type Headers = Parameters<NonNullable<Inbound['execute']>>[0]['headers'];
  type Inbound = NonNullable<ReturnType<WorkflowInterceptorsFactory>['inbound']>[number];
  let newest: Headers[string] | undefined;
  const take = (headers: Headers): void => {
    newest = headers[causeHeader] ?? newest;
  };
  const give = <Input extends { headers: Headers }>(input: Input): Input =>
    newest === undefined ? input : { ...input, headers: { ...input.headers, [causeHeader]: newest } };
  return {
    inbound: [
      {
        execute: (input, next) => {
          take(input.headers);
          return next(input);
        },
        handleSignal: (input, next) => {
          take(input.headers);
          return next(input);
        },
        handleUpdate: (input, next) => {
          take(input.headers);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(give(input)),
        scheduleLocalActivity: (input, next) => next(give(input)),
        startChildWorkflowExecution: (input, next) => next(give(input)),
        continueAsNew: (input, next) => next(give(input)),
      },
    ],
  };
};
