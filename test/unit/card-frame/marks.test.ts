import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { markFiles } from '../../../src/card-frame/files.ts';
import { CardMark, cardBrands, cardMarkFile } from '../../../src/card-marks/card-mark.tsx';

const brands = Object.keys(cardBrands);

describe('the marks of card networks', () => {
  it('are the same drawing in the page and in the card form, for every brand that the texts name', () => {
    expect(Object.keys(markFiles)).toEqual(brands);
    for (const brand of brands) {
      const file = cardMarkFile(brand) ?? '';
      expect(markFiles[brand]?.bytes.toString()).toBe(file);
      const shapes = />(.+)<\/svg>$/s.exec(renderToString(h(CardMark, { brand })))?.[1] ?? '';
      expect(shapes.length).toBeGreaterThan(100);
      expect(file).toContain(shapes);
    }
    expect([CardMark({ brand: 'constructor' }), cardMarkFile('constructor')]).toEqual([null, null]);
  });

  it.each(brands)('%s is of one size, light, and runs and loads nothing', (brand) => {
    const file = cardMarkFile(brand) ?? '';
    expect(file).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 34 22">.*<\/svg>$/s);
    expect(file).not.toMatch(/script|style=|href|\son\w+=|@import|<(?:image|use|foreignObject)/i);
    expect(markFiles[brand]?.brotli.length).toBeLessThan(2_500);
    const ids = [...file.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
    expect(ids.filter((id) => !id.startsWith(`${brand}-`))).toEqual([]);
  });
});
