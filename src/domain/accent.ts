/** The least contrast of readable text of normal size (WCAG 2.2, 1.4.3 level AA). */
export const minContrast = 4.5;

const white = '#ffffff';
/** The background of the dark page, and the accent's contrast to it: a little more than the least. */
const darkGround = '#161d27';
const darkContrast = 6;

export const accentPattern = /^#[0-9a-fA-F]{6}$/;

export type AccentResult = { ok: true; accent: string } | { ok: false; reason: string };

/**
 * Whether a colour may be a shop's accent: `#rrggbb`, and white text on it as well as itself on white can be
 * read. Returns it in lower case; a refusal's reason completes "accent …" and names the nearest good colour,
 * the same hue made just dark enough.
 */
export function checkAccent(raw: string): AccentResult {
  if (!accentPattern.test(raw)) return { ok: false, reason: 'must be a colour such as #1d4ed8' };
  const accent = raw.toLowerCase();
  const contrast = contrastOf(accent, white);
  if (contrast >= minContrast) return { ok: true, accent };
  const had = Math.floor(contrast * 10) / 10;
  const reason = `has a contrast of ${had} to white, and ${minContrast} is needed; the nearest good colour is ${darkened(accent)}`;
  return { ok: false, reason };
}

/** The accent in its two appearances: as it is, and light enough for the dark page. `#rrggbb`. */
export function accentSchemes(accent: string): { light: string; dark: string } {
  return { light: accent, dark: lightened(accent) };
}

/** Contrast ratio of two colours (`#rrggbb`), 1 to 21. WCAG 2.2: contrast ratio. */
export function contrastOf(one: string, other: string): number {
  const [a, b] = [luminanceOf(toLinear(one)), luminanceOf(toLinear(other))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** The lightest colour of the same hue that is far enough from white. */
function darkened(colour: string): string {
  const linear = toLinear(colour);
  const target = 1.05 / minContrast - 0.05;
  const dark = toHex(linear.map((part) => part * Math.min(1, target / luminanceOf(linear))));
  if (contrastOf(dark, white) >= minContrast) return dark;
  // Rounding to eight bits took a little too much.
  return hex(channelsOf(dark).map((value) => Math.max(0, value - 1)));
}

/** As bright as it can be in its own hue, then mixed with white, until it stands out on the dark page. */
function lightened(colour: string): string {
  if (contrastOf(colour, darkGround) >= darkContrast) return colour;
  const target = darkContrast * (luminanceOf(toLinear(darkGround)) + 0.05) - 0.05;
  const linear = toLinear(colour);
  // Black has no hue to brighten.
  const brighter = Math.min(target / (luminanceOf(linear) || 1), 1 / (Math.max(...linear) || 1));
  const bright = linear.map((part) => part * brighter);
  const share = Math.max(0, (target - luminanceOf(bright)) / (1 - luminanceOf(bright)));
  return toHex(bright.map((part) => part + (1 - part) * share));
}

const luminanceOf = ([red = 0, green = 0, blue = 0]: number[]): number =>
  0.2126 * red + 0.7152 * green + 0.0722 * blue;

const channelsOf = (colour: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

const toLinear = (colour: string): number[] =>
  channelsOf(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });

const toHex = (linear: number[]): string =>
  hex(
    linear.map((part) =>
      Math.round(255 * (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055)),
    ),
  );

const hex = (channels: number[]): string =>
  `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
