/** Writes the integrity of every script of the checkout page into its inventory, after a reviewed change. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';

const INVENTORY = join(root, 'docs', 'checkout', 'scripts.json');

const inventory = JSON.parse(readFileSync(INVENTORY, 'utf8'));
for (const script of inventory.scripts) {
  const digest = createHash('sha384')
    .update(readFileSync(join(root, script.file)))
    .digest('base64');
  script.integrity = `sha384-${digest}`;
}
writeFileSync(INVENTORY, `${JSON.stringify(inventory, null, 2)}\n`);
