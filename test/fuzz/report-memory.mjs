// Loaded into the API's process before its own code. At SIGURG, which the API does not use, it collects
// garbage and writes the MiB that are still held, of the heap and of buffers, to the file in FUZZ_MEMORY.
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const path = process.env.FUZZ_MEMORY;

process.on('SIGURG', () => {
  // Objects that the first collection finalizes are freed by the second.
  collect();
  setImmediate(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(`${path}.new`, String(Math.round((heapUsed + external) / 1024 / 1024)));
    renameSync(`${path}.new`, path);
  });
});
