import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { chromium, type Browser, type Frame, type Page } from 'playwright-core';

const CHROMIUM = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

/** `describe` where there is a browser. In CI a missing browser must fail, not hide the tests. */
export const withBrowser = CHROMIUM !== undefined || process.env.CI !== undefined ? describe : describe.skip;

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
}

/** A shop's site of its own origin: every address is an almost empty page. */
export async function startShop(): Promise<{ origin: string; close: () => void }> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(
      '<!doctype html><html lang="en"><head><title>Shop</title></head><body><main></main></body></html>',
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, close };
}

/** The ids of the accessibility faults axe finds. */
export async function accessibilityFaults(where: Page | Frame): Promise<string[]> {
  await where.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  return where.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
}
