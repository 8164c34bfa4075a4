import fc from 'fast-check';
import { accentStyle } from '../../../src/checkout-page/shop.ts';
import { tokens } from '../../../src/checkout-page/assets.ts';
import { accentSchemes, checkAccent, contrastOf } from '../../../src/domain/accent.ts';

const hex = (value: number): string => `#${value.toString(16).padStart(6, '0')}`;
const color = fc.integer({ min: 0, max: 0xffffff }).map(hex);

/** All colors of four bits for red, green and blue. */
const allColors = Array.from({ length: 4_096 }, (_, index) => {
  const [red = 0, green = 0, blue = 0] = [index >> 8, (index >> 4) & 15, index & 15].map((part) => part * 17);
  return hex((red << 16) | (green << 8) | blue);
});

/** The backgrounds of the light and the dark page, as the style has them. */
const grounds = [...tokens.matchAll(/--(?:paper|ground): (#[0-9a-f]+);/g)].map(([, value = '']) =>
  value.length === 4 ? value.replaceAll(/[0-9a-f]/g, '$&$&') : value,
);
const [light, dark] = [grounds.slice(0, 2), grounds.slice(2, 4)];

/** Checks every contrast of an accent's colours on both pages. */
function expectReadable(accent: string): void {
  const schemes = accentSchemes(accent);
  expect(schemes.light.brand).toBe(accent);
  for (const [{ brand, onBrand, edge, tone }, pages] of [
    [schemes.light, light],
    [schemes.dark, dark],
  ] as const) {
    expect(['#000000', '#ffffff']).toContain(onBrand);
    const minContrast = {
      text: contrastOf(onBrand, brand),
      tone: Math.min(...pages.map((page) => contrastOf(tone, page))),
      edge: Math.min(...pages.map((page) => contrastOf(edge, page))),
    };
    const isReadable = minContrast.text >= 4.5 && minContrast.tone >= 4.5 && minContrast.edge >= 3;
    expect({ accent, ...minContrast, isReadable }).toMatchObject({ isReadable: true });
  }
}

describe("a shop's accent", () => {
  it('measures contrast as WCAG does', () => {
    expect(contrastOf('#000000', '#ffffff')).toBe(21);
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrastOf('#1d4ed8', '#ffffff')).toBeCloseTo(6.7, 1);
  });

  it.each(['', 'red', '#12', '#12345g', '1d4ed8', '#1d4ed8;', '#1d4ed80', 'url(#a)'])('rejects %j', (raw) => {
    expect(checkAccent(raw)).toEqual({ ok: false, reason: 'must be a color such as #1d4ed8' });
  });

  it('may be any color', () => {
    for (const accent of ['#1D4ED8', '#ffd400', '#000000', '#ffffff', '#f4f6f9']) {
      expect(checkAccent(accent)).toEqual({ ok: true, accent: accent.toLowerCase() });
    }
  });

  it('has readable text, links, focus and edges on both pages, in 4,096 colors', () => {
    expect(grounds).toHaveLength(6);
    for (const accent of allColors) expectReadable(accent);
  });

  it('has them in every other color too', () => {
    fc.assert(fc.property(color, expectReadable));
  });

  it.each(['#000000', '#333333'])('without a hue, such as %s, makes pale buttons on dark pages', (accent) => {
    const { brand, onBrand } = accentSchemes(accent).dark;
    expect(Math.min(...dark.map((page) => contrastOf(brand, page)))).toBeGreaterThan(12);
    expect(onBrand).toBe('#000000');
  });

  it('is exactly the background of buttons on the light page, and black or white is written on it', () => {
    expect(accentStyle('#ffd400')).toContain(':root{--brand:#ffd400;--on-brand:#000000;');
    expect(accentStyle('#0f766e')).toContain(':root{--brand:#0f766e;--on-brand:#ffffff;');
    // Links use a readable accent unchanged.
    expect(accentStyle('#0f766e')).toContain('--brand-edge:#0f766e;--accent:#0f766e}');
  });
});
