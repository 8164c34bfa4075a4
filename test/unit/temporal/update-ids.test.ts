import { payUpdateId, requestOfUpdate } from '../../../src/temporal/contract/ids.ts';

const request = '01a20ffe-8405-7469-b17c-a9e6fe41348d';

it('finds the request in the id of an update', () => {
  expect(requestOfUpdate(payUpdateId(3, request))).toBe(request);
  expect(requestOfUpdate(request)).toBe(request);
});

it.each(['pay-3', 'expire', `x-${request}`, ''])('finds none in "%s"', (updateId) => {
  expect(requestOfUpdate(updateId)).toBeNull();
});
