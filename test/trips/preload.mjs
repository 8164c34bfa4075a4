import { writeFileSync, renameSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into every process of the measured stack (`--import`). Counts calls of functions by V8's precise
 * coverage; on SIGWINCH writes the files of `dist/src` whose functions ran since the last time, as a JSON
 * list `<TRIPS_DIR>/<pid>-<turn>.json`. The workflow's thread is left out: its code is replayed and has no
 * fixed place in a call.
 */
const directory = process.env.TRIPS_DIR;

if (isMainThread && directory !== undefined) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let turn = 0;
  process.on('SIGWINCH', () => {
    session.post('Profiler.takePreciseCoverage', (error, coverage) => {
      // Ends the process: an empty list would count as a short trip.
      if (error !== null) throw error;
      const files = filesOf(coverage.result);
      turn += 1;
      const path = join(directory, `${process.pid}-${turn}.json`);
      // Renamed into place: the reader never sees half a file.
      writeFileSync(`${path}.part`, JSON.stringify(files));
      renameSync(`${path}.part`, path);
    });
  });
}

/** @param {import('node:inspector').Profiler.ScriptCoverage[]} scripts */
function filesOf(scripts) {
  return scripts
    .filter(({ url }) => url.startsWith('file://') && url.includes('/dist/src/'))
    .filter(({ functions }) => functions.some(hasRun))
    .map(({ url }) =>
      fileURLToPath(url)
        .replace(/^.*\/dist\//, '')
        .replace(/\.js$/, ''),
    );
}

/**
 * Whether a function of the file ran. The first range of a file is the module itself, which runs once, when
 * it is loaded.
 * @param {import('node:inspector').Profiler.FunctionCoverage} entry
 */
function hasRun({ functionName, ranges }) {
  const [range] = ranges;
  return range !== undefined && range.count > 0 && !(functionName === '' && range.startOffset === 0);
}
