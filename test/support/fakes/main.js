/**
 * Runs the launcher with small programs in place of the service's own processes, for tests of the launcher.
 */
import { fileURLToPath } from 'node:url';
import { importLocalStack } from '../../../scripts/lib/local-stack.mjs';

const { runStack } = await importLocalStack('run-stack');
/** @param {string} name */
const entry = (name) => fileURLToPath(new URL(name, import.meta.url));
const service = entry('service.js');

process.exit(
  await runStack(process.argv.slice(2), {
    api: service,
    worker: service,
    vault: service,
    network: service,
    stripe: service,
    pciVault: service,
    cardFrame: service,
    migrate: entry('migrate.js'),
    admin: entry('admin.js'),
  }),
);
