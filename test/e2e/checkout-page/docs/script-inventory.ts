import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { frameFiles, walletFiles } from '../../../../src/card-frame/files.ts';
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
  /** Scripts that their owner serves and may change, so they have no hash. */
  elsewhere: z.array(z.strictObject({ url: z.string(), pages: z.array(z.string()), why: z.string() })),
});
export type Inventory = z.infer<typeof inventorySchema>;

export function readInventory(): Inventory {
  return inventorySchema.parse(JSON.parse(readFileSync(inventoryPath, 'utf8')));
}

/** Returns the inventory with the current integrity of every script's file. */
export function withCurrentHashes({ scripts, ...more }: Inventory): Inventory {
  return { ...more, scripts: scripts.map((script) => ({ ...script, integrity: integrityOf(script) })) };
}

/** Returns the integrity of a script as it is served, possibly joined from several files. */
function integrityOf({ path }: Inventory['scripts'][number]): string {
  const files = [...Object.values(assets), frameFiles.script, walletFiles.script];
  const served = files.find((file) => file.path === path);
  if (!served) throw new Error(`no script is served at ${path}`);
  return served.integrity;
}
