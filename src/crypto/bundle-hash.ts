import { createHash } from 'node:crypto';

/**
 * Returns the SHA-256 of a workflow bundle in hex, without its source map, which depends on the directory of
 * the build. The first 12 digits name the build, as `src/metrics/build-info.ts` does: ADR 0056.
 */
export const bundleHash = (code: string): string =>
  createHash('sha256')
    .update(code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, ''))
    .digest('hex');
