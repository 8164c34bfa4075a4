import { encode } from 'fast-png';
import { checkBrandingChange } from '../../../src/branding/change.ts';
import { type LogoSlot, logoSlots } from '../../../src/domain/branding.ts';

const svg = (inside: string): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">${inside}</svg>`);
const square = (paint: string): Buffer => svg(`<path d="M0 0h10v10H0z" ${paint}/>`);
/** A picture of one color, with a second one in its first pixels. */
function png([red = 0, green = 0, blue = 0, alpha = 255]: number[], first: number[] = [], share = 0): Buffer {
  const data = new Uint8Array(100 * 100 * 4);
  for (let at = 0; at < data.length; at += 4) {
    data.set(at < data.length * share ? first : [red, green, blue, alpha], at);
  }
  return Buffer.from(encode({ width: 100, height: 100, data, channels: 4, depth: 8 }));
}
const check = (slot: LogoSlot, file: Buffer) =>
  checkBrandingChange({ [slot]: file }, { allowHttpLoopback: false });

describe('a logo on the background of its slot', () => {
  it.each([
    ['white', square('fill="#fff"'), 'dark'],
    ['white by a style', square('style="fill:white"'), 'dark'],
    ['white by a group', svg('<g fill="#FFFFFF"><path d="M0 0h9v9z"/></g>'), 'dark'],
    ['light gray', square('fill="#e2e6ea"'), 'dark'],
    ['black', square('fill="#000"'), 'light'],
    ['black by default', square(''), 'light'],
    ['of the dark page’s own color', square('fill="none" stroke="#161d27"'), 'light'],
    ['black beside white', svg('<path d="M0 0h9v9z"/><path d="M0 0h9v9z" fill="#fff"/>'), 'both'],
    ['yellow', square('fill="#ffe600"'), 'both'],
    ['of a gradient', square('fill="url(#a)"'), 'both'],
    ['a white picture', png([255, 255, 255]), 'dark'],
    ['a black picture', png([0, 0, 0]), 'light'],
    ['a white picture with black lines', png([255, 255, 255], [0, 0, 0, 255], 0.02), 'both'],
    ['a white picture with one black dot', png([255, 255, 255], [0, 0, 0, 255], 0.001), 'dark'],
    ['a white picture that is nearly clear', png([255, 255, 255, 5]), 'none'],
    ['a clear picture', png([10, 120, 110, 0]), 'none'],
    ['a red picture', png([220, 30, 30]), 'both'],
  ])('%s is taken where it can be seen', async (_name, file, seen) => {
    const taken = await Promise.all(
      logoSlots.map((slot) =>
        check(slot, file).then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(taken).toEqual([['light', 'both'].includes(seen), ['dark', 'both'].includes(seen)]);
  });

  it('is refused with its slot and what is wrong', async () => {
    await expect(check('logo', square('fill="#fff"'))).rejects.toMatchObject({
      field: 'logo',
      reason: 'cannot be seen on light pages: its colors are too close to the background',
    });
    await expect(check('darkLogo', square(''))).rejects.toMatchObject({
      field: 'darkLogo',
      reason: 'cannot be seen on dark pages: its colors are too close to the background',
    });
  });
});
