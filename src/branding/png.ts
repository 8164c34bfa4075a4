import { inflateSync } from 'node:zlib';
import { type DecodedPng, decode, encode } from 'fast-png';
import { LogoRefused } from './logo-refused.ts';

/** Larger images are rejected before they are decompressed. */
const maxSidePx = 2_048;
/** A logo is displayed at half of this size at most, so that it is sharp on every screen. */
const shownPx = { width: 480, height: 96 } as const;
const signature = Buffer.from('89504e470d0a1a0a', 'hex');

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, 8).equals(signature);

/**
 * Returns the picture encoded again as PNG, with no more pixels than the pages need and without the file's
 * other data. Throws `LogoRefused`.
 */
export function cleanPng(bytes: Buffer): { bytes: Buffer; width: number; height: number } {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') throw notAnImage();
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (width < 1 || height < 1) throw notAnImage();
  if (width > maxSidePx || height > maxSidePx) {
    throw new LogoRefused(`is ${width} × ${height} pixels; ${maxSidePx} a side is the most`);
  }
  refuseBombs(bytes, width, height);
  const picture = toRgba(decodeChecked(bytes));
  const scale = Math.min(1, shownPx.width / width, shownPx.height / height);
  const small = shrink(picture, width, height, Math.ceil(width * scale), Math.ceil(height * scale));
  const written = encode({ ...small, channels: 4, depth: 8 }, { zlib: { level: 9 } });
  return { width: small.width, height: small.height, bytes: Buffer.from(written) };
}

/** Rejects a file that would decompress to more bytes than its width and height need. */
function refuseBombs(bytes: Buffer, width: number, height: number): void {
  const packed: Buffer[] = [];
  for (let at = 8; at + 12 <= bytes.length; at += bytes.readUInt32BE(at) + 12) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      packed.push(bytes.subarray(at + 8, at + 8 + length));
  }
  try {
    // A pixel has at most eight bytes; interlacing adds a few rows.
    inflateSync(Buffer.concat(packed), { maxOutputLength: (width * 8 + 1) * (height + 16) + 64 });
  } catch (error) {
    throw notAnImage(error);
  }
}

function decodeChecked(bytes: Buffer): DecodedPng {
  try {
    return decode(bytes, { checkCrc: true });
  } catch (error) {
    throw notAnImage(error);
  }
}

const notAnImage = (cause?: unknown): LogoRefused => new LogoRefused('is not a readable PNG', { cause });

/** Converts every format to eight bits per channel, with transparency. */
function toRgba({ width, height, data, channels, depth, palette, transparency }: DecodedPng): Uint8Array {
  const rgba = new Uint8Array(width * height * 4);
  const shift = depth === 16 ? 8 : 0;
  const widen = depth < 8 && !palette ? 255 / (2 ** depth - 1) : 1;
  const samplesPerRow = depth < 8 ? Math.ceil((width * depth * channels) / 8) : width * channels;
  const raw = (x: number, y: number, channel: number): number => {
    if (depth >= 8) return data[y * samplesPerRow + x * channels + channel] ?? 0;
    const bit = (x * channels + channel) * depth;
    const byte = data[y * samplesPerRow + (bit >> 3)] ?? 0;
    return (byte >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
  };
  const sample = (x: number, y: number, channel: number): number => raw(x, y, channel) >> shift;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4;
      const first = sample(x, y, 0);
      const color = palette
        ? (palette[first] ?? [0, 0, 0])
        : channels < 3
          ? [first, first, first].map((value) => value * widen)
          : [first, sample(x, y, 1), sample(x, y, 2)];
      const [red = 0, green = 0, blue = 0, own = 255] = color;
      const hasAlpha = channels === 2 || channels === 4;
      const clear =
        !hasAlpha &&
        transparency !== undefined &&
        Array.from({ length: channels }, (_, channel) => raw(x, y, channel)).every(
          (value, channel) => value === transparency[channel],
        );
      const alpha = hasAlpha ? sample(x, y, channels - 1) : clear ? 0 : own;
      rgba.set([red, green, blue, alpha], at);
    }
  }
  return rgba;
}

/** Scales the picture down: each new pixel is the mean of the pixels it covers, weighted by their opacity. */
function shrink(rgba: Uint8Array, width: number, height: number, toWidth: number, toHeight: number) {
  const data = new Uint8Array(toWidth * toHeight * 4);
  for (let y = 0; y < toHeight; y += 1) {
    const [top, bottom] = [Math.floor((y * height) / toHeight), Math.ceil(((y + 1) * height) / toHeight)];
    for (let x = 0; x < toWidth; x += 1) {
      const [left, right] = [Math.floor((x * width) / toWidth), Math.ceil(((x + 1) * width) / toWidth)];
      const sum = [0, 0, 0, 0];
      for (let sy = top; sy < bottom; sy += 1) {
        for (let sx = left; sx < right; sx += 1) {
          const at = (sy * width + sx) * 4;
          const alpha = rgba[at + 3] ?? 0;
          for (let channel = 0; channel < 3; channel += 1) {
            sum[channel] = (sum[channel] ?? 0) + (rgba[at + channel] ?? 0) * alpha;
          }
          sum[3] = (sum[3] ?? 0) + alpha;
        }
      }
      const [red = 0, green = 0, blue = 0, alpha = 0] = sum;
      const count = (bottom - top) * (right - left);
      const color = alpha === 0 ? [0, 0, 0] : [red, green, blue].map((value) => Math.round(value / alpha));
      data.set([...color, Math.round(alpha / count)], (y * toWidth + x) * 4);
    }
  }
  return { data, width: toWidth, height: toHeight };
}
