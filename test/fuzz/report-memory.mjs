// Loaded into the API's process before its own code: at SIGURG, which means nothing else to it, it collects
// garbage, and writes to the file in FUZZ_MEMORY how many MiB are still held, of the heap and of buffers.
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const path = process.env.FUZZ_MEMORY;

process.on('SIGURG', () => {
  // What the first collection finalizes is free after the second.
  collect();
  setImmediate(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(`${path}.new`, String(Math.round((heapUsed + external) / 1024 / 1024)));
    renameSync(`${path}.new`, path);
  });
});
