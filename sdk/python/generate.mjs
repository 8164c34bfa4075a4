/**
 * `npm run sdk:python`: writes the generated modules of `card_payments` from the OpenAPI document. `--check`
 * writes nothing, and exits with code 1 when a module differs from what it would write. Needs python3.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from '../../scripts/build.mjs';

const generator = fileURLToPath(new URL('generate.py', import.meta.url));

await build({ strict: false });
/** @type {{ openApiDocument: (serverUrl: string) => object }} */
const service = await import(new URL('../../dist/src/api/docs/document.js', import.meta.url).href);
const input = JSON.stringify(service.openApiDocument('https://pay.example'));
const { status, error } = spawnSync('python3', [generator, ...process.argv.slice(2)], {
  input,
  stdio: ['pipe', 'inherit', 'inherit'],
  env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
});
if (error) console.error(`python3 could not be run: ${error.message}`);
process.exitCode = status ?? 1;
