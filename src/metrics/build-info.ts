import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * Returns the version of the service and the build: a hash of its workflow bundle, or `source` without one.
 */
export function buildInfo(): { version: string; build_id: string } {
  const manifest = read('../../package.json') ?? read('../../../package.json') ?? '{}';
  const { version = 'unknown' } = JSON.parse(manifest) as { version?: string };
  // Hashed without the source map: src/crypto/bundle-hash.ts.
  const bundle = read('../workflow-bundle.js')?.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '') ?? null;
  return {
    version,
    build_id: bundle === null ? 'source' : createHash('sha256').update(bundle).digest('hex').slice(0, 12),
  };
}

function read(path: string): string | null {
  try {
    return readFileSync(new URL(path, import.meta.url), 'utf8');
  } catch {
    return null;
  }
}
