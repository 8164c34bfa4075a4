import { decode, encode } from 'fast-png';
import pixelmatch from 'pixelmatch';

/**
 * The differences at which two pictures still count as equal: a pixel by a fifth of the way from black to
 * white (smoothed edges are ignored), and one pixel in two hundred by more.
 */
export const pictureTolerance = { perPixel: 0.2, share: 0.005 };

/**
 * Returns the share of pixels in which two PNG pictures differ, and a picture that marks them. Null when
 * their sizes differ.
 */
export function comparePictures(old: Buffer, now: Buffer): { share: number; marked: Uint8Array } | null {
  const [before, after] = [decode(old), decode(now)];
  const { width, height } = after;
  if (before.width !== width || before.height !== height || before.channels !== after.channels) return null;
  const shown = new Uint8Array(width * height * 4);
  const differing = pixelmatch(rgba(before), rgba(after), shown, width, height, {
    threshold: pictureTolerance.perPixel,
  });
  return {
    share: differing / (width * height),
    marked: encode({ width, height, data: shown, channels: 4, depth: 8 }),
  };
}

/**
 * Returns a PNG picture in fewer tones of each color. 16 tones halve the bytes, and change far less than the
 * tolerance.
 */
export function keptPicture(taken: Buffer, tones = 16): Uint8Array {
  const step = 256 / tones;
  const { data, width, height, channels } = decode(taken);
  const fewer = Uint8Array.from(data, (tone) => Math.min(255, Math.round(tone / step) * step));
  return encode({ width, height, channels, depth: 8, data: fewer }, { zlib: { level: 9 } });
}

/** Converts to four channels, for the comparison. */
function rgba({ data, channels, width, height }: ReturnType<typeof decode>): Uint8Array {
  const all = new Uint8Array(width * height * 4).fill(255);
  for (let at = 0; at < width * height; at += 1) {
    for (let channel = 0; channel < channels; channel += 1) {
      all[at * 4 + channel] = data[at * channels + channel] ?? 0;
    }
  }
  return all;
}
