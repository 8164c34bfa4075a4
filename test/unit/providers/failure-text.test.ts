import { boundedFailure } from '../../../src/providers/failure-text.ts';

it.each([
  ['expired_card', 'x', { failureCode: 'expired_card' }],
  ['unheard_of', 'Their words.', { failureCode: 'unheard_of', message: 'Their words.' }],
  ['constructor', 'Their words.', { failureCode: 'constructor', message: 'Their words.' }],
  ['toString', null, { failureCode: 'toString', message: 'The payment was declined.' }],
  [null, null, { failureCode: 'processing_error' }],
])('gives the code %j and the message %j of a provider as text', (code, message, failure) => {
  expect(boundedFailure(code, message)).toMatchObject(failure);
});
