import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Deployments, unpolledQueues } from '../temporal/clients/deployments.ts';
import type { Build } from './build.ts';

/** How often a waiting build checks whether it may become current, in ms. */
const everyMs = 2_000;
/** Turns between two log lines of a waiting build. */
const logEveryTurns = 30;

/** Returns why the process must not run, in one line, when its build id is another build's; else null. */
export async function refuseBuild(
  deployments: Pick<Deployments, 'bundleOf'>,
  { buildId, bundleHash: hash }: Build,
): Promise<string | null> {
  const stored = await deployments.bundleOf(buildId);
  if (stored === null || stored === hash) return null;
  return `WORKER_BUILD_ID: ${buildId} is the name of a build with other workflows: give this build a name of its own`;
}

/**
 * Stores the hash of the build's workflows. Makes the build current when no build is current yet and this one
 * polls every queue, so that a fresh system works. `onRefused`: another build with its name came first.
 */
export function joinDeployment(deps: {
  deployments: Deployments;
  build: Build;
  onRefused: (reason: string) => void;
  logger: Pick<Logger, 'info' | 'warn'>;
}): { stop: () => Promise<void> } {
  const { deployments, build, logger } = deps;
  const { buildId } = build;
  const stopping = new AbortController();

  /** Does what is due. Returns whether nothing is left to do. */
  const runTurn = async (turns: number): Promise<boolean> => {
    const state = await deployments.read();
    if (!state?.versions.some((version) => version.buildId === buildId)) return false;
    const refused = await refuseBuild(deployments, build);
    if (refused !== null) {
      deps.onRefused(refused);
      return true;
    }
    if ((await deployments.bundleOf(buildId)) === null) {
      await deployments.storeBundle(buildId, build.bundleHash);
      // Another build may have stored its own hash at the same time; the next turn reads which one is stored.
      return false;
    }
    if (state.current === buildId) {
      logger.info({ buildId }, 'this build is current');
      return true;
    }
    if (state.current !== null) {
      logger.info({ buildId, current: state.current }, 'this build waits until it is promoted');
      return true;
    }
    const missing = unpolledQueues(await deployments.workers(), buildId);
    if (missing.length > 0) {
      if (turns % logEveryTurns === 0) logger.info({ buildId, missing }, 'no build is current yet');
      return false;
    }
    await deployments.setCurrent(state, buildId);
    return false;
  };

  const loop = async (): Promise<void> => {
    for (let turns = 0; !stopping.signal.aborted; turns += 1) {
      try {
        if (await runTurn(turns)) return;
      } catch (error) {
        // Another process may have changed the deployment at the same time.
        if (turns % logEveryTurns === logEveryTurns - 1)
          logger.warn({ err: error }, 'the deployment cannot be changed; trying again');
      }
      await wait(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  const running = loop();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
