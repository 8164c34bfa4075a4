import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { launchProfile, startSite, withBrowser } from '../support/browser.ts';
import { type CrossingRelay, crossingRelay } from '../support/crossing-relay.ts';
import { Shop, eventually } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';

/**
 * A browser opens a connection ahead of time, sends nothing until the server's time-out, and then sends its
 * request at the moment when the server closes the connection.
 */
withBrowser('a connection that a browser opened ahead and did not use', () => {
  let profile: string;
  let browser: BrowserContext;
  let world: World;
  let relays: Record<'api' | 'dashboard' | 'vault' | 'network', CrossingRelay>;
  beforeAll(async () => {
    const [api, dashboard, vault, network] = await Promise.all([
      crossingRelay(),
      crossingRelay(),
      crossingRelay(),
      crossingRelay(),
    ]);
    relays = { api, dashboard, vault, network };
    world = await createWorld({ PUBLIC_URL: api.origin });
    api.targetPort = Number(new URL(world.baseUrl).port);
    // A separate relay, because a browser opens no connection ahead where it already has one.
    dashboard.targetPort = api.targetPort;
    vault.targetPort = Number(new URL(world.vaultUrl).port);
    network.targetPort = Number(new URL(world.networkUrl).port);
    profile = await mkdtemp(join(tmpdir(), 'idle-connections-'));
    browser = await launchProfile(profile);
  });
  afterAll(async () => {
    await browser?.close();
    await rm(profile, { recursive: true, force: true });
    await Promise.all(Object.values(relays ?? {}).map((relay) => relay.close()));
    await world?.close();
  });

  /** Returns the page behind a shop's link that is followed over a connection opened ahead of time. */
  async function followed(relay: CrossingRelay, url: string): Promise<{ text: string; crossed: number }> {
    // On the same site as the services, because a browser otherwise keeps its connections apart.
    const site = await startSite({
      '/': `<link rel="preconnect" href="${relay.origin}"><a href="${url}">Go on</a>`,
    });
    const page = await browser.newPage();
    const before = relay.crossed();
    try {
      await page.goto(`${site.origin}/`);
      await eventually(async () => (relay.ended() > 0 ? true : undefined), 90_000);
      await page.getByText('Go on').click();
      await page.waitForURL(url);
      return { text: await page.locator('body').innerText(), crossed: relay.crossed() - before };
    } finally {
      await page.close();
      site.close();
    }
  }

  it('would show the answer of a server that sends one on an idle connection', async () => {
    const server = createServer({
      headersTimeout: 500,
      requestTimeout: 500,
      connectionsCheckingInterval: 100,
    });
    server.on('clientError', (_error, socket) => {
      const body = '{"error":{"code":"invalid_request"}}';
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    });
    server.on('request', (_request, response) => response.end('the page'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const relay = await crossingRelay();
    relay.targetPort = (server.address() as AddressInfo).port;
    try {
      const { text, crossed } = await followed(relay, `${relay.origin}/page`);
      expect(crossed).toBeGreaterThan(0);
      expect(text).toContain('invalid_request');
    } finally {
      await relay.close();
      server.closeAllConnections();
      server.close();
    }
  });

  it('shows the checkout page', async () => {
    const shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
    const created = await shop.create({ checkoutMode: 'hosted' });
    const url = String(created.body.data?.['checkoutUrl']);
    expect(url.startsWith(relays.api.origin)).toBe(true);
    const { text, crossed } = await followed(relays.api, url);
    expect(crossed).toBeGreaterThan(0);
    expect(text).toContain('$25.00');
  });

  it('shows the dashboard', async () => {
    const { text, crossed } = await followed(
      relays.dashboard,
      `${relays.dashboard.origin}/dashboard/sign-in`,
    );
    expect(crossed).toBeGreaterThan(0);
    expect(text).toContain('Sign in');
  });

  it("shows the vault's and the network's pages", async () => {
    const [cards, step] = await Promise.all([
      followed(relays.vault, `${relays.vault.origin}/frame/test-cards`),
      followed(relays.network, `${relays.network.origin}/challenge/unknown`),
    ]);
    expect([cards.crossed, step.crossed].every((crossed) => crossed > 0)).toBe(true);
    expect(cards.text).toContain('4242');
    expect(step.text).not.toContain('{');
    expect(step.text.length).toBeGreaterThan(10);
  });
});
