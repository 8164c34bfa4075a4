import { type AccentColors, accentSchemes } from '../domain/accent.ts';
import type { Branding, Logo } from '../domain/branding.ts';

/**
 * Returns the address of a logo. It contains the hash of the bytes, so that browsers may cache it forever.
 */
export const logoPath = ({ sha256, contentType }: Pick<Logo, 'sha256' | 'contentType'>): string =>
  `/assets/logo/${sha256}.${contentType === 'image/png' ? 'png' : 'svg'}`;

/** Returns the address of an accent's stylesheet (`#rrggbb`). */
export const accentPath = (accent: string): string => `/assets/accent/${accent.slice(1)}.css`;

const colors = ({ brand, onBrand, edge, tone }: AccentColors): string =>
  `--brand:${brand};--on-brand:${onBrand};--brand-edge:${edge};--accent:${tone}`;

/** Returns the stylesheet of an accent (`#rrggbb`): its colors for light and dark, and nothing else. */
export function accentStyle(accent: string): string {
  const { light, dark } = accentSchemes(accent);
  return (
    `:root{${colors(light)}}` +
    `@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){${colors(dark)}}}` +
    `@media screen{:root[data-theme=dark]{${colors(dark)}}}`
  );
}

/** Returns the letter shown for a shop without a logo: the first of its name, in any script. */
export function tileLetter(name: string): string {
  const [first] = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(name.trim());
  return first?.segment.toLocaleUpperCase() ?? '';
}

const defaultAccent = '#1d4ed8';
const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns the address of the shop's icon: its logo, else its letter on its accent color. */
export function faviconUrl(name: string, { logo, accent }: Branding): string {
  if (logo !== null) return logoPath(logo);
  const { brand, onBrand } = accentSchemes(accent ?? defaultAccent).light;
  const letter = tileLetter(name).replace(/[&<>]/g, (sign) => escapes[sign] ?? '');
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">` +
    `<rect width="32" height="32" rx="7" fill="${brand}"/>` +
    `<text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="600" text-anchor="middle" fill="${onBrand}">${letter}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
