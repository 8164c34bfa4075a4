import { decode } from 'fast-png';
import type { Logo, LogoSlot } from '../domain/branding.ts';
import { contrastOf } from '../domain/accent.ts';

/** The backgrounds of a logo in the light and the dark theme. tokens.css, dark.css. */
const grounds = { logo: '#f4f6f9', darkLogo: '#161d27' } as const satisfies Record<LogoSlot, string>;
/** A color with less contrast to its background is not visible, unless its hue stands out. */
const minContrast = 1.3;
/**
 * The difference between the strongest and the weakest channel from which a color stands out on a light page.
 */
const minChroma = 64;
/** The share of a picture's pixels, from 0 to 1, that must stand out. */
const minShare = 0.005;
const black = '#000000';

/**
 * Whether a cleaned logo is visible on the background of its slot. A drawing with a color that this function
 * cannot judge, such as a gradient, counts as visible.
 */
export function isVisible(
  { contentType, bytes }: Pick<Logo, 'contentType'> & { bytes: Buffer },
  slot: LogoSlot,
) {
  return contentType === 'image/png' ? isPictureVisible(bytes, slot) : isDrawingVisible(bytes, slot);
}

/** `bytes`: a PNG of four channels of eight bits, as `cleanPng` makes it. */
function isPictureVisible(bytes: Buffer, slot: LogoSlot): boolean {
  const { data } = decode(bytes);
  const ground = channelsOf(grounds[slot]);
  const known = new Map<number, boolean>();
  let visible = 0;
  for (let at = 0; at < data.length; at += 4) {
    const opacity = (data[at + 3] ?? 0) / 255;
    const [red = 0, green = 0, blue = 0] = ground.map((below, channel) =>
      Math.round(below + ((data[at + channel] ?? 0) - below) * opacity),
    );
    const color = (red << 16) | (green << 8) | blue;
    const seen = known.get(color) ?? contrastsWithGround(toHex(color), slot);
    known.set(color, seen);
    if (seen) visible += 1;
  }
  return visible / (data.length / 4) >= minShare;
}

function isDrawingVisible(bytes: Buffer, slot: LogoSlot): boolean {
  const paints = paintsOf(bytes.toString('utf8'));
  return paints.some((paint) => {
    const color = colorOf(paint);
    return color === null || contrastsWithGround(color, slot);
  });
}

/** Returns the colors with which a drawing paints, as they are written. */
function paintsOf(svg: string): string[] {
  const written = [...svg.matchAll(/\b(?:fill|stroke|stop-color|color)\s*[:=]\s*["']?\s*([^"';}>]+)/g)]
    .map(([, paint = '']) => paint.trim().toLowerCase())
    .filter((paint) => paint !== 'none' && paint !== 'transparent');
  // A shape is black if neither it nor a group around it has a fill.
  const isFilled = /<(?:svg|g)\b[^>]*\s(?:fill|style|class)=/.test(svg);
  const shapes = svg.match(/<(?:path|rect|circle|ellipse|line|polyline|polygon)\b[^>]*>/g) ?? [];
  const isBlack = !isFilled && shapes.some((shape) => !/\s(?:fill|style|class)=/.test(shape));
  return isBlack ? [...written, black] : written;
}

/** Returns a color as `#rrggbb`; null if it is written in another notation. */
function colorOf(paint: string): string | null {
  if (paint === 'white') return '#ffffff';
  if (paint === 'black') return black;
  if (/^#[0-9a-f]{6}$/.test(paint)) return paint;
  return /^#[0-9a-f]{3}$/.test(paint) ? paint.replaceAll(/[0-9a-f]/g, '$&$&') : null;
}

function contrastsWithGround(color: string, slot: LogoSlot): boolean {
  if (contrastOf(color, grounds[slot]) >= minContrast) return true;
  // Yellow on white has little contrast but is visible; dark blue on black is not.
  const channels = channelsOf(color);
  return slot === 'logo' && Math.max(...channels) - Math.min(...channels) >= minChroma;
}

const toHex = (color: number): string => `#${color.toString(16).padStart(6, '0')}`;
const channelsOf = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
