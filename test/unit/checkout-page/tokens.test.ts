import { assets, tokens } from '../../../src/checkout-page/assets.ts';
import { dashboardAssets } from '../../../src/dashboard/parts/assets.ts';

it('every page has one dark palette, for the system setting and for the chosen theme', () => {
  const palettes = [...tokens.matchAll(/\{([^{}]*--ink: #[^{}]*)\}/g)].map(([, declarations = '']) =>
    declarations
      .split(';')
      .map((one) => one.trim())
      .filter((one) => one.startsWith('--')),
  );
  const [light = [], preferred = [], shown] = palettes;
  expect(palettes).toHaveLength(3);
  expect(preferred).toEqual(shown);
  expect(preferred).not.toEqual(light);
  // Every dark token has a light value.
  const names = (declarations: string[]) => declarations.map((one) => one.split(':')[0]);
  expect(names(light)).toEqual(expect.arrayContaining(names(preferred)));
  for (const { style } of [assets, dashboardAssets]) {
    expect(style.bytes.toString()).toContain(tokens);
    expect(style.bytes.toString()).not.toContain('dark.css');
  }
});
