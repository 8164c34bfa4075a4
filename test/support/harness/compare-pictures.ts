import { decode } from 'fast-png';
import pixelmatch from 'pixelmatch';
import { rgbaOf, rgbaPng } from './kept-picture.ts';

/**
 * The differences at which two pictures still count as equal: a pixel by about one fiftieth of the way from
 * black to white (smoothed edges are ignored), and one pixel in a thousand by more.
 */
export const pictureTolerance = { perPixel: 0.018, share: 0.001 };
/** The same for pictures of two versions of the browser, which smooth letters differently. */
export const otherBrowserTolerance = { perPixel: 0.1, share: 0.01 };

/**
 * Returns the share of pixels in which two PNG pictures differ by more than `perPixel`, and a picture that
 * marks them. Null when their sizes differ.
 */
export function comparePictures(
  old: Buffer,
  now: Buffer,
  { perPixel }: Pick<typeof pictureTolerance, 'perPixel'> = pictureTolerance,
): { share: number; marked: Uint8Array } | null {
  const [before, after] = [decode(old), decode(now)];
  const { width, height } = after;
  if (before.width !== width || before.height !== height) return null;
  const shown = new Uint8Array(width * height * 4);
  const differing = pixelmatch(rgbaOf(before), rgbaOf(after), shown, width, height, {
    threshold: perPixel,
  });
  return { share: differing / (width * height), marked: rgbaPng(width, height, shown) };
}
