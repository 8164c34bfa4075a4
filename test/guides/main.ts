/**
 * `npm run test:guides`: runs the code blocks of `docs/guides` that are marked `run` against `npm start`, or
 * against the service that CARD_PAYMENTS_URL names, with the packed clients installed. The blocks of one
 * guide and language are one program. Prints `N blocks run, N failed`. Exit code 1 when a block fails, the
 * types of TypeScript do not fit, something is left behind, or Python 3.11 or a package of
 * `test/python/requirements.txt` is missing.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pMap from 'p-map';
import { type RunningStack, startStack } from '../schemathesis/stack.ts';
import { readFlags } from '../support/harness/flags.ts';
import { installPackedPython, packNpm } from '../support/harness/packed-sdks.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { installPython } from '../support/harness/python-tools.ts';
import { runTool } from '../support/harness/run-tool.ts';
import { type Program, programsOf } from './blocks.ts';
import { readGuides } from './read-guides.ts';
import { type Result, type Shop, runProgram } from './run-program.ts';
import { typeFaults } from './type-faults.ts';

const exec = promisify(execFile);
/** As many programs as run at once. They wait more than they compute. */
const together = 2;

const flags = readFlags({
  name: 'test:guides',
  does: 'Runs the code blocks of docs/guides against npm start.',
  flags: { only: { takes: 'name', means: 'only the guides whose name contains this' } },
});

const programs: Program[] = readGuides(flags.only).flatMap(({ file, text }) => programsOf(file, text));

type Service = Pick<RunningStack, 'baseUrl' | 'sandboxApiKey'>;

/** Installs the packed packages as a merchant does. */
async function openShop(directory: string): Promise<Shop> {
  const bin = await installPython('python-client', join(projectRoot, 'test', 'python', 'requirements.txt'));
  const { python } = await installPackedPython(bin, directory);
  const shop = join(directory, 'guides');
  mkdirSync(shop);
  writeFileSync(join(shop, 'package.json'), '{"type":"module","private":true}');
  const packed = [await packNpm('typescript', directory), await packNpm('cli', directory)];
  const quiet = ['--no-audit', '--no-fund', '--offline', '--ignore-scripts'];
  await exec('npm', ['install', ...quiet, ...packed], { cwd: shop });
  const path = `${join(shop, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`;
  return { directory: shop, python, env: { PATH: path, HOME: shop, PYTHONDONTWRITEBYTECODE: '1' } };
}

/** The service that the environment names, null where it names none. */
function givenService(): Service | null {
  const { CARD_PAYMENTS_URL: baseUrl, CARD_PAYMENTS_API_KEY: sandboxApiKey } = process.env;
  return baseUrl && sandboxApiKey ? { baseUrl, sandboxApiKey } : null;
}

/** Returns what a program that clears up leaves none of: webhook endpoints, and payments that can be paid. */
async function openObjects({ baseUrl, sandboxApiKey }: Service): Promise<string[]> {
  const read = async (path: string): Promise<Record<string, unknown>[]> => {
    const answered = await fetch(`${baseUrl}${path}`, {
      headers: { Authorization: `Bearer ${sandboxApiKey}` },
      signal: AbortSignal.timeout(10_000),
    });
    return ((await answered.json()) as { data: Record<string, unknown>[] }).data;
  };
  const endpoints = await read('/v1/webhook-endpoints');
  const payments = await read('/v1/payments?status=pending&perPage=100');
  return [
    ...endpoints.map(({ url }) => `the webhook endpoint ${String(url)} was left behind`),
    ...payments
      .filter(
        ({ checkoutUrl, expiresAt }) => checkoutUrl !== null || Date.parse(String(expiresAt)) > Date.now(),
      )
      .map(({ reference }) => `the payment of ${String(reference)} was left open`),
  ];
}

await runTool(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-guides-'));
  let stack: RunningStack | undefined;
  try {
    const shop = await openShop(directory);
    const faults = await typeFaults(programs, shop.directory);
    const given = givenService();
    if (given === null) stack = await startStack(join(directory, 'data'), {});
    const service = given ?? (stack as Service);
    const before = await openObjects(service);
    const { baseUrl, sandboxApiKey } = service;
    const env = { ...shop.env, CARD_PAYMENTS_URL: baseUrl, CARD_PAYMENTS_API_KEY: sandboxApiKey };
    const results: Result[] = await pMap(
      programs,
      async (program) => {
        const result = await runProgram(program, { ...shop, env });
        const summary =
          result.failed === 0 ? `${result.run} blocks, ${result.seconds.toFixed(1)} s` : 'FAILED';
        console.log(`${program.file} ${program.language}: ${summary}`);
        return result;
      },
      { concurrency: together },
    );
    const left = (await openObjects(service)).filter((line) => !before.includes(line));
    const reports = results.map(({ report }) => report).filter((report) => report !== '');
    for (const report of [...faults, ...left, ...reports]) console.log(`\n${report}`);
    const failed = results.reduce((sum, result) => sum + result.failed, 0);
    const ran = results.reduce((sum, result) => sum + result.run, 0);
    console.log(`${ran} blocks run, ${failed + faults.length + left.length} failed`);
    return ran > 0 && failed === 0 && faults.length === 0 && left.length === 0;
  } finally {
    await stack?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
