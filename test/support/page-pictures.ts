import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContextOptions, Page } from 'playwright-core';

/**
 * Options that make pictures of a page equal on every machine: one font, and no motion. The page's policy
 * allows no font, so the context bypasses it.
 */
export const pictureOptions: BrowserContextOptions = {
  bypassCSP: true,
  reducedMotion: 'reduce',
  timezoneId: 'UTC',
  viewport: { width: 390, height: 780 },
  colorScheme: 'light',
};

const font = readFileSync(
  createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
).toString('base64');

const style = `
  @font-face { font-family: Picture; src: url(data:font/woff2;base64,${font}); font-weight: 100 900; }
  body, button, input, textarea, h1 { font-family: Picture, sans-serif !important; }
  * { caret-color: transparent !important; animation: none !important; transition: none !important; }
`;

/** Prepares a page and its frames for a picture; call it once the page is complete. */
export async function dressForPicture(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    await frame.addStyleTag({ content: style });
    await frame.evaluate('document.fonts.ready.then(() => undefined)');
  }
}
