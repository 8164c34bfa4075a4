/**
 * `npm run test:runtimes`: runs the packed TypeScript client under Node.js, Bun and Deno, which npm installs
 * into a temporary folder, against answers that are made up. Prints a line for each. Exit code 1 when one
 * fails.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { createApiKey } from '../../src/crypto/api-key.ts';
import { createSigningSecret, signatureHeaders } from '../../src/webhooks/signing.ts';
import { readFlags } from '../support/harness/flags.ts';
import { packNpm } from '../support/harness/packed-sdks.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { runTool } from '../support/harness/run-tool.ts';

const run = promisify(execFile);
const installMs = 240_000;
const runMs = 60_000;
const versions = { bun: '1.4.5', deno: '2.9.6' } as const;
const ids = ['01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90', '01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b91'];

readFlags({
  name: 'test:runtimes',
  does: 'Runs the packed TypeScript client under Bun and Deno.',
  flags: {},
});

/** Starts a service that knows two payments on two pages. */
async function startService(): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    const page = Number(searchParams.get('page') ?? 1);
    const listed = { data: [{ id: ids[page - 1] }], meta: { page, perPage: 1, total: 2 } };
    const isKnown = request.method === 'POST' || ids.some((id) => pathname.endsWith(id));
    const body =
      request.method === 'GET' && pathname === '/v1/payments'
        ? listed
        : isKnown
          ? { data: { id: ids[0], status: 'pending' } }
          : { error: { code: 'not_found', message: 'Not found.' } };
    const status = request.method === 'POST' ? 201 : 'error' in body ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const expected = {
  created: ids[0],
  listed: ids,
  missing: true,
  event: 'payment.paid',
  forged: true,
  withResponse: 200,
};

await runTool(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'card-payments-runtimes-'));
  const service = await startService();
  try {
    const shop = join(folder, 'shop');
    mkdirSync(shop);
    writeFileSync(join(shop, 'package.json'), '{"type":"module","private":true}');
    const tarball = await packNpm('typescript', folder);
    const env = { ...process.env, NODE_OPTIONS: '' };
    const wanted = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
    const quiet = ['--no-audit', '--no-fund', '--save-exact'];
    await run('npm', ['install', ...quiet, tarball, ...wanted], { cwd: shop, env, timeout: installMs });
    copyFileSync(join(projectRoot, 'test', 'runtimes', 'client.mjs'), join(shop, 'client.mjs'));
    const body = JSON.stringify({
      id: 'evt_5g5SLmIUyUPNOjKUl2iEhwBJ',
      type: 'payment.paid',
      data: { amountCents: 2500 },
    });
    const secret = createSigningSecret();
    const headers = signatureHeaders({ id: 'evt_5g5SLmIUyUPNOjKUl2iEhwBJ', body }, [secret], new Date());
    const given = [service.url, createApiKey('sandbox').text, secret, JSON.stringify(headers), body];
    const bin = (name: string): string => join(shop, 'node_modules', '.bin', name);
    const runtimes: [name: string, command: string, ...args: string[]][] = [
      [`Node.js ${process.versions.node}`, process.execPath],
      [`Bun ${versions.bun}`, bin('bun'), 'run'],
      [`Deno ${versions.deno}`, bin('deno'), 'run', '--allow-net=127.0.0.1', '--allow-env', '--no-remote'],
    ];
    let failed = 0;
    for (const [name, command, ...args] of runtimes) {
      const ran = await run(command, [...args, 'client.mjs', ...given], {
        cwd: shop,
        env,
        timeout: runMs,
      }).catch((error: { stderr?: string }) => ({ stdout: '{}', stderr: error.stderr ?? 'did not start' }));
      const isRight = isDeepStrictEqual(JSON.parse(ran.stdout), expected);
      if (!isRight) failed += 1;
      console.log(isRight ? `✔ ${name}` : `✗ ${name}: ${ran.stdout.trim()} ${ran.stderr.trim()}`);
    }
    return failed === 0;
  } finally {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
