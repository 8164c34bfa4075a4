import { decode } from 'fast-png';
import pixelmatch from 'pixelmatch';
import { rgbaOf, rgbaPng } from './kept-picture.ts';

/**
 * The differences at which two pictures still count as equal: a pixel by about one fiftieth of the way from
 * black to white (smoothed edges are ignored), and one pixel in a thousand by more.
 */
export const pictureTolerance = { perPixel: 0.018, share: 0.001 };

/**
 * Returns the share of pixels in which two PNG pictures differ, and a picture that marks them. Null when
 * their sizes differ.
 */
export function comparePictures(old: Buffer, now: Buffer): { share: number; marked: Uint8Array } | null {
  const [before, after] = [decode(old), decode(now)];
  const { width, height } = after;
  if (before.width !== width || before.height !== height) return null;
  const shown = new Uint8Array(width * height * 4);
  const differing = pixelmatch(rgbaOf(before), rgbaOf(after), shown, width, height, {
    threshold: pictureTolerance.perPixel,
  });
  return { share: differing / (width * height), marked: rgbaPng(width, height, shown) };
}
