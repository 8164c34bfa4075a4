/** The root of `npm start`: docs/operations.md, "The local stack". */
import { fileURLToPath } from 'node:url';
import { runStack } from './run-stack.ts';

const entry = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

process.exit(
  await runStack(process.argv.slice(2), {
    api: entry('src/api/server.js'),
    worker: entry('src/worker/main.js'),
    vault: entry('simulators/vault/main.js'),
    network: entry('simulators/network/main.js'),
    stripe: entry('simulators/dialects/stripe/main.js'),
    pciVault: entry('simulators/dialects/pci-vault/main.js'),
    cardFrame: entry('src/card-frame/main.js'),
    migrate: entry('src/cli/migrate.js'),
    admin: entry('src/cli/admin.js'),
    guides: entry('../scripts/site/build.mjs'),
  }),
);
