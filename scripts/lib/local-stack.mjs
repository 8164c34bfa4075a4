import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const compiled = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist', 'local-stack');

/**
 * Modules of local-stack/ that plain JavaScript uses once there is a build.
 * @typedef {object} LocalStack
 * @property {typeof import('../../local-stack/npm-parent.ts')} npm-parent
 * @property {typeof import('../../local-stack/ports.ts')} ports
 * @property {typeof import('../../local-stack/postgres.ts')} postgres
 * @property {typeof import('../../local-stack/run-stack.ts')} run-stack
 * @property {typeof import('../../local-stack/supervisor.ts')} supervisor
 * @property {typeof import('../../local-stack/temporal.ts')} temporal
 * @property {typeof import('../../local-stack/temporal-cli.ts')} temporal-cli
 * @property {typeof import('../../local-stack/test-server.ts')} test-server
 * @property {typeof import('../../local-stack/watchdog.ts')} watchdog
 */

/**
 * Returns a module of the last build with the types of its source: an import of a path in dist/ would make
 * the compiler read its own output.
 * @template {keyof LocalStack} Name
 * @param {Name} name
 * @returns {Promise<LocalStack[Name]>}
 */
export function importLocalStack(name) {
  return import(pathToFileURL(join(compiled, `${name}.js`)).href);
}
