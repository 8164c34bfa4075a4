import { crc32, deflateSync } from 'node:zlib';
import { type DecodedPng, decode, encode } from 'fast-png';

/** The most colors of an indexed PNG picture. */
const maxColors = 256;
/** A color that fills more than one pixel in this many is kept as it is. */
const exactFrom = 2_000;
/** Tones of the other colors, which are those of smoothed edges. */
const edgeTones = 32;

/** A color as one number: red, green and blue. */
type Color = number;

/**
 * Returns a PNG picture as it is kept: indexed, which takes a third of the bytes. Every color that fills an
 * area stays exactly as it is; the many colors of smoothed edges become 32 tones of red, green and blue, and
 * the rarest of them the nearest color of the picture.
 */
export function keptPicture(taken: Buffer): Uint8Array {
  const picture = decode(taken);
  const { width, height } = picture;
  const pixels = colorsOf(picture);
  const exact = new Set(
    [...countOf(pixels)].filter(([, count]) => count * exactFrom >= pixels.length).map(([color]) => color),
  );
  const rounded = pixels.map((color) => (exact.has(color) ? color : roundColor(color)));
  const counts = countOf(rounded);
  const kept = [...counts]
    .toSorted(
      ([one, many], [other, more]) => Number(exact.has(other)) - Number(exact.has(one)) || more - many,
    )
    .slice(0, maxColors)
    .map(([color]) => color);
  const places = new Map(kept.map((color, at) => [color, at]));
  for (const color of counts.keys()) {
    if (!places.has(color)) places.set(color, places.get(nearest(color, kept)) ?? 0);
  }
  return indexedPng(
    { width, height, palette: kept },
    rounded.map((color) => places.get(color) ?? 0),
  );
}

/** Returns the picture's pixels in four channels, for comparisons and for marking. */
export function rgbaOf(picture: DecodedPng): Uint8Array {
  const all = new Uint8Array(picture.width * picture.height * 4).fill(255);
  let at = 0;
  for (const color of colorsOf(picture)) {
    all[at] = color >> 16;
    all[at + 1] = (color >> 8) & 255;
    all[at + 2] = color & 255;
    at += 4;
  }
  return all;
}

/** Returns a picture of four channels as PNG. */
export const rgbaPng = (width: number, height: number, data: Uint8Array): Uint8Array =>
  encode({ width, height, data, channels: 4, depth: 8 });

function colorsOf({ data, channels, palette, width, height }: DecodedPng): Color[] {
  const all = new Array<Color>(width * height);
  for (let at = 0; at < all.length; at += 1) {
    const [red = 0, green = 0, blue = 0] =
      palette === undefined
        ? [data[at * channels], data[at * channels + 1], data[at * channels + 2]]
        : (palette[data[at] ?? 0] ?? []);
    all[at] = (red << 16) | (green << 8) | blue;
  }
  return all;
}

function countOf(pixels: readonly Color[]): Map<Color, number> {
  const counts = new Map<Color, number>();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  return counts;
}

const partsOf = (color: Color): [number, number, number] => [color >> 16, (color >> 8) & 255, color & 255];

function roundColor(color: Color): Color {
  const step = 256 / edgeTones;
  const [red, green, blue] = partsOf(color).map((tone) => Math.min(255, Math.round(tone / step) * step));
  return ((red ?? 0) << 16) | ((green ?? 0) << 8) | (blue ?? 0);
}

function nearest(color: Color, kept: readonly Color[]): Color {
  const parts = partsOf(color);
  const distance = (other: Color): number =>
    partsOf(other).reduce((sum, tone, at) => sum + (tone - (parts[at] ?? 0)) ** 2, 0);
  return kept.reduce((best, other) => (distance(other) < distance(best) ? other : best));
}

/** Returns an indexed PNG of eight bits a pixel. `places`: of each pixel's color in the palette. */
function indexedPng(
  { width, height, palette }: { width: number; height: number; palette: readonly Color[] },
  places: readonly number[],
): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a pixel, indexed; compression, filter and interlacing as always.
  header.set([8, 3, 0, 0, 0], 8);
  // Each row begins with its filter: none.
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    rows.set(places.slice(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(partsOf))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
