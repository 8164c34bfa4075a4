/**
 * `npm run sdk:types`: writes `openapi.ts`, the types of the OpenAPI document. `--check` writes nothing, and
 * exits with code 1 when the file differs from what it would write.
 *
 * openapi-typescript needs the compiler's JavaScript API, which TypeScript 7 does not have. It gets
 * TypeScript 5 here, which is installed under another name.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { build } from '../../scripts/build.mjs';

const target = new URL('src/openapi.ts', import.meta.url);
const olderCompiler = `export const resolve = (name, context, next) =>
  next(name === 'typescript' ? 'typescript-5' : name, context);`;
register(`data:text/javascript,${encodeURIComponent(olderCompiler)}`);

await build({ strict: false });
/** @type {{ openApiDocument: (serverUrl: string) => import('openapi-typescript').OpenAPI3 }} */
const service = await import(new URL('../../dist/src/api/docs/document.js', import.meta.url).href);
const { default: openapiTS, astToString } = await import('openapi-typescript');

const types = astToString(await openapiTS(service.openApiDocument('https://pay.example')));
const text = `// Written by \`npm run sdk:types\` from the OpenAPI document of the service. Do not edit.\n\n${types}`;
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('sdk/typescript/src/openapi.ts is not what the document gives: run `npm run sdk:types`.');
  process.exitCode = 1;
}
