import { decode, encode } from 'fast-png';
import { comparePictures, pictureTolerance } from '../../support/harness/compare-pictures.ts';
import { keptPicture } from '../../support/harness/kept-picture.ts';

type Tone = readonly [red: number, green: number, blue: number];

/** Returns a PNG of 100 × 100 pixels, drawn by the color at each place. */
function draw(colorAt: (x: number, y: number) => Tone): Buffer {
  const data = new Uint8Array(100 * 100 * 3);
  for (let y = 0; y < 100; y += 1) {
    for (let x = 0; x < 100; x += 1) data.set(colorAt(x, y), (y * 100 + x) * 3);
  }
  return Buffer.from(encode({ width: 100, height: 100, channels: 3, depth: 8, data }));
}

const ground: Tone = [0xf4, 0xf6, 0xf9];
const ink: Tone = [0x16, 0x1c, 0x26];
const page = draw((x, y) => (y > 40 && y < 50 && x > 10 && x < 60 ? ink : ground));
const share = (now: Buffer, old = Buffer.from(keptPicture(page))) => comparePictures(old, now)?.share;

describe('a kept picture', () => {
  it('has the exact colors of every area, in fewer bytes', () => {
    const kept = Buffer.from(keptPicture(page));
    const { palette } = decode(kept);
    expect(palette).toEqual([[...ground], [...ink]]);
    expect(kept.length).toBeLessThan(page.length);
    expect(share(page)).toBe(0);
  });

  it('equals its page also with more colors than a palette has', () => {
    const many = draw((x, y) => (y < 60 ? ground : [x, y, (x * y) % 256]));
    expect(share(many, Buffer.from(keptPicture(many)))).toBeLessThan(0.4);
    const smooth = draw((x) => [Math.round(x * 2.5), Math.round(x * 2.5), Math.round(x * 2.5)]);
    expect(share(smooth, Buffer.from(keptPicture(smooth)))).toBe(0);
  });

  it('differs from another ground, a missing line of text, and another size', () => {
    const lavender: Tone = [0xf0, 0xf0, 0xff];
    expect(share(draw((x, y) => (y > 40 && y < 50 && x > 10 && x < 60 ? ink : lavender)))).toBeGreaterThan(
      0.9,
    );
    expect(share(draw(() => ground))).toBeGreaterThan(pictureTolerance.share);
    const small = encode({ width: 1, height: 1, channels: 3, depth: 8, data: new Uint8Array(3) });
    expect(share(Buffer.from(small))).toBeUndefined();
  });

  it('is compared with a tolerance of less than a twentieth for each pixel', () => {
    expect(pictureTolerance.perPixel).toBeLessThanOrEqual(0.05);
  });
});
