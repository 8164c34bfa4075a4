import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Frame,
  type Page,
  chromium,
} from 'playwright-core';

const names = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chromium-headless-shell',
];
const usualPlaces = [
  '/usr/bin/chromium',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Returns the browser of this machine: from CHROMIUM_PATH, the PATH, or the usual places. */
export function findBrowser(): string | null {
  const given = process.env['CHROMIUM_PATH'];
  if (given) return given;
  for (const name of names) {
    try {
      return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    } catch {
      // It is not on the PATH.
    }
  }
  return usualPlaces.find((path) => existsSync(path)) ?? null;
}

const executablePath = findBrowser();
if (executablePath === null && process.env['CI'] !== 'true') {
  process.stderr.write(
    'No Chromium found: the tests of the checkout page are skipped. Install it or set CHROMIUM_PATH.\n',
  );
}

/** Whether browser tests run: where there is a browser, and in CI, where a missing one must fail. */
export const hasBrowser = executablePath !== null || process.env['CI'] === 'true';

/** `describe` when there is a browser, else `describe.skip`. */
export const withBrowser: jest.Describe = hasBrowser ? describe : describe.skip;

/**
 * Features that are switched off. The first ones are those that Playwright switches off, repeated because
 * only the last such switch counts. The others are parts of the browser's own window, which load pages of
 * their own for every tab and double its work.
 */
const withoutFeatures = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'BlockOriginHeaderModificationOnRedirect',
  'Translate',
  'AutoDeElevate',
  'OptimizationHints',
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

const launchOptions = () => {
  if (executablePath === null) throw new Error('No Chromium found: install it or set CHROMIUM_PATH');
  return {
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${withoutFeatures.join(',')}`,
    ],
  };
};

export const launchBrowser = (): Promise<Browser> => chromium.launch(launchOptions());

/** Starts a browser with a profile in `directory`; without a profile it opens no connections ahead. */
export const launchProfile = (directory: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(directory, launchOptions());

/** A page in its own context, with its requests to the network and its errors. */
export interface Tab {
  page: Page;
  requests: { url: string; method: string; body: string; headers: Record<string, string> }[];
  complaints: string[];
}

export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const tab: Tab = { page, requests: [], complaints: [] };
  page.on('request', (request) =>
    tab.requests.push({
      url: request.url(),
      method: request.method(),
      body: request.postData() ?? '',
      headers: request.headers(),
    }),
  );
  page.on('console', (message) => {
    if (message.type() === 'error') tab.complaints.push(message.text());
  });
  page.on('pageerror', (error) => tab.complaints.push(error.message));
  return tab;
}

/** Starts a shop's site on its own origin: `/ok` and `/no` to return to, and `pages` by path. */
export async function startSite(
  pages: Record<string, string> = {},
  host = '127.0.0.1',
): Promise<{ origin: string; pages: Record<string, string>; close: () => void }> {
  const served: Record<string, string> = { ...pages };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><html lang="en"><head><title>Shop ${pathname}</title></head><body><main>${served[pathname] ?? ''}</main></body></html>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : '';
  return {
    origin: `http://${host}:${port}`,
    pages: served,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Returns axe's violations, of the standards or only of `rules`: rule ids with the first element. */
export async function accessibilityFaults(where: Page | Frame, rules?: string[]): Promise<string[]> {
  const runOnly = rules === undefined ? standards : { type: 'rule', values: rules };
  await where.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  return where.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(runOnly)}, iframes: false })
       .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 120)))`,
  );
}
