import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInThisContext } from 'node:vm';
import { operations } from '../../../src/api/docs/document.ts';
import { codeSamples } from '../../../src/api/docs/code-samples.ts';
import { NotFoundError } from '../../../sdk/typescript/src/index.ts';
import { textOf } from '../../../src/api/docs/json.ts';
import type { Operation } from '../../../src/api/http/operation.ts';
import { programsOf } from '../../guides/blocks.ts';
import { readGuides } from '../../guides/read-guides.ts';
import { projectRoot } from '../../support/harness/project-root.ts';
import { clientOf, data, paymentId } from './fake-service.ts';

const run = promisify(execFile);
const source = join(projectRoot, 'sdk', 'typescript');
const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
const env = { ...process.env, NODE_OPTIONS: '' };

/** A shop's folder, in which the packed package is installed. */
let shop: string;
let packed: { size: number; files: string[] };

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'card-payments-sdk-'));
  shop = join(folder, 'shop');
  const copy = join(folder, 'package');
  const installed = join(shop, 'node_modules', '@card-payments', 'sdk');
  await Promise.all([mkdir(copy), mkdir(installed, { recursive: true })]);
  for (const name of ['package.json', 'README.md']) await copyFile(join(source, name), join(copy, name));
  await run(process.execPath, [join(source, 'build.mjs'), join(copy, 'dist')], { env });
  const { stdout } = await run('npm', ['pack', '--json'], { cwd: copy, env });
  const [archive] = JSON.parse(stdout) as { filename: string; size: number; files: { path: string }[] }[];
  if (archive === undefined) throw new Error('npm packed nothing');
  packed = { size: archive.size, files: archive.files.map(({ path }) => path) };
  await run('tar', ['-xzf', join(copy, archive.filename), '-C', installed, '--strip-components=1']);
});
afterAll(() => rm(join(shop, '..'), { recursive: true, force: true }));

/** Type-checks files like a shop's compiler, including the declarations of the package. */
async function typeCheck(files: Record<string, string>): Promise<string> {
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(shop, name), text)));
  const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: [] };
  const compilerOptions = { ...options, lib: ['es2022', 'dom', 'dom.iterable'] };
  await writeFile(join(shop, 'package.json'), '{"type":"module"}');
  await writeFile(
    join(shop, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: Object.keys(files) }),
  );
  return run(process.execPath, [compiler, '-p', shop, '--pretty', 'false'], { env }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

/** The values that the guide has before a sample. */
const thing = { id: paymentId };
const given = {
  orderId: 'order-1001-again',
  ...{ payment: thing, customPayment: thing, refund: thing, mistake: thing, dispute: thing },
  ...{ secondDispute: thing, link: thing, endpoint: thing, event: thing },
  card: { cardToken: 'tok_5f0c2b7e9a41d83c', captureReference: 'cap_8Jd02mKq' },
  NotFoundError,
};

const sampleOf = (operation: Operation): string =>
  textOf(codeSamples(operation).find(({ lang }) => lang === 'TypeScript')?.['source']);

const blocksOf = (text: string): string[] =>
  [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) => block);

describe('the package', () => {
  it('has at most 60 KB, no dependency, and nothing but what is built', async () => {
    expect(packed.size).toBeLessThanOrEqual(60_000);
    const others = packed.files.filter(
      (path) => !/^(package\.json|README\.md|dist\/.*\.(js|d\.ts|json))$/.test(path),
    );
    expect(others).toEqual([]);
    const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({ name: '@card-payments/sdk', sideEffects: false });
    expect(Object.keys(manifest).filter((name) => name.toLowerCase().includes('dependencies'))).toEqual([]);
  });

  it('is loaded as a module and by require', async () => {
    const make =
      "const cp = new CardPayments({ apiKey: 'k', baseUrl: 'https://a.b' }); console.log(typeof cp.payments.pay);";
    await writeFile(join(shop, 'module.mjs'), `import { CardPayments } from '@card-payments/sdk'; ${make}`);
    await writeFile(
      join(shop, 'script.cjs'),
      `const { CardPayments } = require('@card-payments/sdk'); ${make}`,
    );
    for (const name of ['module.mjs', 'script.cjs']) {
      expect((await run(process.execPath, [join(shop, name)], { env })).stdout).toBe('function\n');
    }
  });

  it('has types for modules, for CommonJS, for its README and for the samples of the document', async () => {
    const blocks = blocksOf(await readFile(join(source, 'README.md'), 'utf8'));
    expect(blocks.length).toBeGreaterThan(6);
    const readme = blocks.map((text, index) => [`readme-${index}.ts`, `export {};\n${text}`]);
    const header = "import { CardPayments } from '@card-payments/sdk';\nconst cp = new CardPayments();\n";
    const samples = readGuides('every-call')
      .flatMap(({ file, text }) => programsOf(file, text))
      .filter(({ language }) => language === 'ts')
      .map(({ source: program }) => ['samples.ts', program]);
    expect(samples).toHaveLength(1);
    const script = "import sdk = require('@card-payments/sdk');\nexport const cp = new sdk.CardPayments();\n";
    const files = Object.fromEntries([...readme, ...samples, ['script.cts', script]]) as Record<
      string,
      string
    >;
    expect(await typeCheck(files)).toBe('');
    // The check finds faults.
    const wrong = `${header}await cp.payments.create({}, { idempotencyKey: 'k' });`;
    expect(await typeCheck({ 'wrong.ts': wrong })).toContain('TS2739');
  });
});

describe('the types of the document', () => {
  it('are those that the generator makes of it', async () => {
    const check = run(process.execPath, [join(source, 'generate.mjs'), '--check'], { env });
    await expect(check).resolves.toMatchObject({ stdout: '' });
  });
});

describe('the methods', () => {
  it('are one for every operation of the document, as its sample names it', async () => {
    const missing: string[] = [];
    for (const operation of operations) {
      const { cp, sent } = clientOf(() => data({}));
      const names = Object.keys(given).join(', ');
      const made = runInThisContext(`async (cp, { ${names} }) => { { ${sampleOf(operation)} } }`) as (
        client: typeof cp,
        values: typeof given,
      ) => Promise<void>;
      await made(cp, given);
      const [request] = sent;
      const path = request?.path.replace(paymentId, '{id}');
      const isKeyed = request?.headers.has('idempotency-key') === (operation.keyed ?? false);
      if (request?.method.toLowerCase() !== operation.method || path !== operation.path || !isKeyed) {
        missing.push(`${operation.id}: ${request?.method} ${path}`);
      }
      const body = operation.body?.schema.safeParse(request?.body ?? undefined);
      if (operation.body?.required === true && body?.success !== true)
        missing.push(`${operation.id}: its body`);
    }
    expect(missing).toEqual([]);
  });
});
