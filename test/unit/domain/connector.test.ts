import { workingMethods } from '../../../src/domain/connector.ts';

it.each([
  [null, false, ['card', 'wallet', 'pix']],
  [null, true, ['card', 'wallet', 'pix']],
  ['stripe', false, ['card']],
  ['stripe', true, ['card', 'wallet']],
] as const)('of %s with a wallet frame: %s, customers can pay with %j', (kind, hasWalletFrame, methods) => {
  expect(workingMethods(kind, hasWalletFrame)).toEqual(methods);
});
