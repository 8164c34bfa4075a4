import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { assets } from '../../../../src/checkout-page/assets.ts';
import { projectRoot } from '../../../support/harness/project-root.ts';

export const inventoryPath = join(projectRoot, 'docs', 'checkout', 'scripts.json');

const inventorySchema = z.strictObject({
  comment: z.string(),
  scripts: z.array(
    z.strictObject({
      path: z.string(),
      file: z.string(),
      origin: z.string(),
      pages: z.array(z.string()),
      why: z.string(),
      integrity: z.string(),
    }),
  ),
});
export type Inventory = z.infer<typeof inventorySchema>;

export function readInventory(): Inventory {
  return inventorySchema.parse(JSON.parse(readFileSync(inventoryPath, 'utf8')));
}

/** Returns the inventory with the integrity that every script's file has now. */
export function withCurrentHashes({ comment, scripts }: Inventory): Inventory {
  return { comment, scripts: scripts.map((script) => ({ ...script, integrity: integrityOf(script) })) };
}

/** Of what is served: ours may be joined out of several files, the vault's is its file. */
function integrityOf({ path, file, origin }: Inventory['scripts'][number]): string {
  const served = Object.values(assets).find((asset) => asset.path === path);
  if (origin === 'service' && served) return served.integrity;
  const digest = createHash('sha384')
    .update(readFileSync(join(projectRoot, file)))
    .digest('base64');
  return `sha384-${digest}`;
}
