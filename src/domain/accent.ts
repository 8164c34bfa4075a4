/** The least contrast of text of normal size, and of edges (WCAG 2.2, 1.4.3 and 1.4.11 level AA). */
const textContrast = 4.5;
const edgeContrast = 3;

const white = '#ffffff';
const black = '#000000';
/** The page background with the least contrast to what is drawn on it, in light and in dark. tokens.css. */
const lightGround = '#f4f6f9';
const darkGround = '#161d27';
/** The accent's contrast to the dark page: above the least, because dark pages make colors look dull. */
const darkContrast = 6;

export const accentPattern = /^#[0-9a-fA-F]{6}$/;

export type AccentResult = { ok: true; accent: string } | { ok: false; reason: string };

/** Returns a shop's accent in lower case, or why a text is none. Any color as `#rrggbb` is accepted. */
export function checkAccent(raw: string): AccentResult {
  if (!accentPattern.test(raw)) return { ok: false, reason: 'must be a color such as #1d4ed8' };
  return { ok: true, accent: raw.toLowerCase() };
}

/** A shop's colors on a page. `#rrggbb`. */
export interface AccentColors {
  /** Background of buttons and of the shop's tile. */
  brand: string;
  /** Text on `brand`: black or white, with a contrast of 4.5 at least. */
  onBrand: string;
  /** Edge of an element with the background `brand`, with a contrast of 3 to the page at least. */
  edge: string;
  /** Links, focus and radio buttons: the same hue with a contrast of 4.5 to the page at least. */
  tone: string;
}

/**
 * Returns the colors of an accent (`#rrggbb`) on the light and on the dark page. Buttons of the light page
 * have exactly the accent.
 */
export function accentSchemes(accent: string): { light: AccentColors; dark: AccentColors } {
  const dark = lightened(accent);
  return {
    light: {
      brand: accent,
      onBrand: textOn(accent),
      edge: darkened(accent, edgeContrast),
      tone: darkened(accent, textContrast),
    },
    dark: { brand: dark, onBrand: textOn(dark), edge: dark, tone: dark },
  };
}

/** Returns white where it is readable, else black; one of the two always is. */
const textOn = (color: string): string => (contrastOf(color, white) >= textContrast ? white : black);

/** Returns the contrast ratio of two colors (`#rrggbb`), 1 to 21. WCAG 2.2: contrast ratio. */
export function contrastOf(one: string, other: string): number {
  const [a, b] = [luminanceOf(toLinear(one)), luminanceOf(toLinear(other))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Returns the lightest color of the same hue with this contrast to the light page. */
function darkened(color: string, contrast: number): string {
  if (contrastOf(color, lightGround) >= contrast) return color;
  const linear = toLinear(color);
  const target = (luminanceOf(toLinear(lightGround)) + 0.05) / contrast - 0.05;
  let dark = toHex(linear.map((part) => part * Math.min(1, target / luminanceOf(linear))));
  // Rounding to eight bits may leave a little too little contrast.
  while (contrastOf(dark, lightGround) < contrast) {
    dark = hex(channelsOf(dark).map((value) => Math.max(0, value - 1)));
  }
  return dark;
}

/** Returns the color as bright as its hue allows, mixed with white until it stands out on the dark page. */
function lightened(color: string): string {
  if (contrastOf(color, darkGround) >= darkContrast) return color;
  const target = darkContrast * (luminanceOf(toLinear(darkGround)) + 0.05) - 0.05;
  if (isGray(color)) return palest;
  const linear = toLinear(color);
  const brighter = Math.min(target / luminanceOf(linear), 1 / Math.max(...linear));
  const bright = linear.map((part) => part * brighter);
  const share = Math.max(0, (target - luminanceOf(bright)) / (1 - luminanceOf(bright)));
  return toHex(bright.map((part) => part + (1 - part) * share));
}

/** Replaces black and dark gray, which have no hue: a button of a middle gray looks disabled. */
const palest = '#e8ebef';

const isGray = (color: string): boolean => {
  const channels = channelsOf(color);
  return Math.max(...channels) - Math.min(...channels) < 12;
};

const luminanceOf = ([red = 0, green = 0, blue = 0]: number[]): number =>
  0.2126 * red + 0.7152 * green + 0.0722 * blue;

const channelsOf = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

const toLinear = (color: string): number[] =>
  channelsOf(color).map((value) => {
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
