import { readInventory, withCurrentHashes } from './script-inventory.ts';

it('every script of the inventory, also the vault’s, equals the file it names, byte for byte', () => {
  const inventory = readInventory();
  expect(inventory.scripts).toHaveLength(4);
  expect(withCurrentHashes(inventory)).toEqual(inventory);
});
