/**
 * `npm run docs:script-hashes`: writes the integrity of every script of the checkout page into its inventory,
 * docs/checkout/scripts.json, after a reviewed change.
 */
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { inventoryPath, readInventory, withCurrentHashes } from './script-inventory.ts';

const text = JSON.stringify(withCurrentHashes(readInventory()));
const options = await resolveConfig(inventoryPath);
writeFileSync(inventoryPath, await format(text, { ...options, filepath: inventoryPath }));
