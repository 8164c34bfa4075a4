import { readFile } from 'node:fs/promises';
import { bundleHash } from '../crypto/bundle-hash.ts';
import { deploymentName } from '../temporal/contract/builds.ts';

/** The build of a process. */
export interface Build {
  deploymentName: string;
  buildId: string;
  /** The hash of its workflows. */
  bundleHash: string;
}

interface BuildSettings {
  WORKER_BUILD_ID?: string | undefined;
  WORKER_VERSIONING?: 'on' | 'off' | undefined;
  TASK_QUEUE_PREFIX: string;
}

/** Returns the build of this process; null when it takes every run, whichever build began it. ADR 0056. */
export async function buildOf(
  settings: BuildSettings,
  bundle: { codePath: string } | { code: string },
): Promise<Build | null> {
  const { WORKER_BUILD_ID, WORKER_VERSIONING, TASK_QUEUE_PREFIX } = settings;
  const isVersioned = (WORKER_VERSIONING ?? (WORKER_BUILD_ID === undefined ? 'off' : 'on')) === 'on';
  if (!isVersioned) return null;
  const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
  const hash = bundleHash(code);
  return {
    deploymentName: deploymentName(TASK_QUEUE_PREFIX),
    // The same as in the metric build_info.
    buildId: WORKER_BUILD_ID ?? hash.slice(0, 12),
    bundleHash: hash,
  };
}
