import {
  type BuildVersion,
  type Deployments,
  type DeploymentState,
  type PollingWorker,
} from '../../temporal/clients/deployments.ts';

/** The number of processes, and of open runs by type. */
interface Load {
  workers: number;
  openWorkflows: Record<string, number>;
}

/** The output of `deploy status`. */
export interface DeployStatus {
  deployment: string | null;
  current: string | null;
  ramping: DeploymentState['ramping'];
  versions: (Pick<BuildVersion, 'buildId' | 'status'> & Load)[];
  /** Workers without versioning, and runs that no build has started yet. */
  unversioned: Load;
}

/** Returns the builds, newest first, with their workers and open runs. */
export async function readStatus(deployments: Deployments): Promise<DeployStatus> {
  const state = await deployments.read();
  const polling = await deployments.workers();
  const load = async (buildId: string | null): Promise<Load> => ({
    workers: countWorkers(polling, buildId),
    openWorkflows: await deployments.countOpen(buildId),
  });
  const versions: DeployStatus['versions'] = [];
  for (const { buildId, status } of state?.versions ?? []) {
    versions.push({ buildId, status, ...(await load(buildId)) });
  }
  return {
    deployment: state?.deployment ?? null,
    current: state?.current ?? null,
    ramping: state?.ramping ?? null,
    versions,
    unversioned: await load(null),
  };
}

const countWorkers = (polling: readonly PollingWorker[], of: string | null): number =>
  new Set(polling.filter(({ buildId }) => buildId === of).map(({ identity }) => identity)).size;

/** Returns whether any runs wait for workers that are gone, or new runs would. */
export const isStranded = ({ current, versions, unversioned }: DeployStatus): boolean =>
  versions.some(
    ({ buildId, workers, openWorkflows }) =>
      workers === 0 && (buildId === current || Object.keys(openWorkflows).length > 0),
  ) ||
  (current === null && unversioned.workers === 0);
