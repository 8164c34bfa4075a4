import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from './bundle-workflows.ts';

/**
 * Build step: writes `workflow-bundle.js` beside the compiled sources, so that no worker bundles at start.
 */
const target = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
// Names of modules are relative to the working directory, and a build is written to a directory of a random
// name.
process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
await writeFile(`${target}.new`, await bundleWorkflows());
await rename(`${target}.new`, target);
