import { ServiceError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { retryUntilAdmitted } from '../../../src/temporal/clients/calls.ts';

/** Returns the error that the client creates from gRPC's answer. */
const answered = (code: number, details: string): ServiceError =>
  new ServiceError('Workflow Update failed', {
    cause: Object.assign(new Error(details), { code, details, metadata: {} }),
  });

const failedWith = (type: string): WorkflowUpdateFailedError =>
  new WorkflowUpdateFailedError('Workflow Update failed', ApplicationFailure.create({ type }));

/** Fails with each of `errors` in turn, then answers; counts the calls. */
function sending(...errors: Error[]) {
  const sent = { times: 0 };
  const send = (): Promise<string> => {
    const error = errors[sent.times];
    sent.times += 1;
    return error ? Promise.reject(error) : Promise.resolve('taken');
  };
  return { send, sent };
}

it.each([
  ['ten updates in hand', answered(8, 'limit on number of in-flight updates has been reached (10)')],
  ['a workflow about to close', answered(8, 'workflow operation can not be applied because it is closing')],
  ['an update dropped with its task', answered(14, 'workflow update was aborted')],
  ['the same as later servers say it', answered(10, 'workflow update was aborted')],
  ['an update given back unread', failedWith('UnprocessedUpdate')],
])('%s is sent again until it is admitted', async (_, error) => {
  const { send, sent } = sending(error, error, error);
  await expect(retryUntilAdmitted(send, Date.now)).resolves.toBe('taken');
  expect(sent.times).toBe(4);
});

it.each([
  ['a Temporal that cannot be reached', answered(14, 'No connection established')],
  ['no answer in time', answered(4, 'Deadline exceeded')],
  ['no such workflow', answered(5, 'workflow not found')],
  ['a refusal of the workflow', failedWith('payment_in_progress')],
  ['anything else', new Error('workflow update was aborted')],
])('%s is thrown at once', async (_, error) => {
  const { send, sent } = sending(error);
  await expect(retryUntilAdmitted(send, Date.now)).rejects.toBe(error);
  expect(sent.times).toBe(1);
});

it('an update that is never admitted fails with the last error after fifteen seconds', async () => {
  const error = answered(8, 'limit on number of in-flight updates has been reached (10)');
  let nowMs = 0;
  let sent = 0;
  const send = (): Promise<never> => {
    nowMs += 5_000;
    sent += 1;
    return Promise.reject(error);
  };
  await expect(retryUntilAdmitted(send, () => nowMs)).rejects.toBe(error);
  expect(sent).toBe(3);
});
