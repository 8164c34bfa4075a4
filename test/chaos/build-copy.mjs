import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A copy that no build replaces while its processes are started again and again. */
export function copyOfDist(root, name) {
  const holder = join(root, '.cache', `chaos-${name}-${process.pid}`);
  const dist = join(holder, 'dist');
  cpSync(join(root, 'dist'), dist, { recursive: true });
  // Compiled files reach for scripts/lib beside dist/.
  for (const beside of ['scripts', 'package.json']) {
    if (!existsSync(join(holder, beside))) symlinkSync(join(root, beside), join(holder, beside));
  }
  return dist;
}
