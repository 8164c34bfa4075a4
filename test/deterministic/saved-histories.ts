import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import proto from '@temporalio/proto';
import type { LoadedDataConverter } from '@temporalio/common';
import type { Violation } from '../chaos/violation.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { Random } from '../support/harness/random.ts';
import { recordedRun } from './temporal/histories.ts';
import { replayTasks } from './temporal/replay.ts';
import type { World } from './world.ts';

/** The share of the seeds whose workers replay the saved histories, as after an update of the service. */
const share = 0.2;

const directory = join(projectRoot, 'test/histories');

/**
 * In some seeds, replays the histories that real servers recorded with earlier versions of this service.
 * Checks I20: this build makes the same commands.
 */
export async function replaySavedHistories(
  seed: number,
  { builds, dataConverter }: Pick<World, 'builds' | 'dataConverter'>,
): Promise<Violation[]> {
  if (!new Random(Math.imul(seed, 0x9e3779b1) ^ 0x02e5be93).chance(share)) return [];
  const [creator] = builds.values();
  if (creator === undefined) throw new Error('there is no build');
  const violations: Violation[] = [];
  for (const name of readdirSync(directory).filter((file) => file.endsWith('.json'))) {
    const json = JSON.parse(readFileSync(join(directory, name), 'utf8')) as object;
    const run = recordedRun(proto.temporal.api.history.v1.History.fromObject(json).events, name);
    const encoding = Buffer.from(run.start.input[0]?.metadata?.['encoding'] ?? []).toString();
    const converter: LoadedDataConverter =
      encoding === 'binary/encrypted' ? dataConverter : { ...dataConverter, payloadCodecs: [] };
    try {
      const { instance } = await replayTasks(creator, converter, run);
      await instance.dispose();
    } catch (error) {
      violations.push({ invariant: 'I20', paymentId: null, detail: `${name}: ${String(error)}` });
    }
  }
  return violations;
}
