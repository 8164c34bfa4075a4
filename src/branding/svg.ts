import type { CustomPlugin } from 'svgo';
import { LogoRefused } from './logo-refused.ts';

/** The elements that draw. All others are removed, or the file is rejected. */
const drawing = new Set(
  `svg g defs title desc path rect circle ellipse line polyline polygon linearGradient radialGradient stop
   clipPath mask style`.split(/\s+/),
);
const attributes = new Set(
  `id class style transform d x y x1 y1 x2 y2 cx cy r rx ry fx fy points width height viewBox
   preserveAspectRatio xmlns fill fill-opacity fill-rule clip-path clip-rule clipPathUnits color display mask
   mask-type maskUnits maskContentUnits opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap
   stroke-linejoin stroke-miterlimit stroke-opacity stroke-width offset stop-color stop-opacity gradientUnits
   gradientTransform spreadMethod visibility vector-effect type`.split(/\s+/),
);
/** Elements that run code, load a resource, or can repeat a drawing without limit. */
const refusedElements: Readonly<Record<string, string>> = {
  script: 'carries a script',
  foreignObject: 'carries a foreign document',
  iframe: 'carries a foreign document',
  image: 'carries another image; upload that as PNG',
  use: 'draws parts by reference; expand them first',
  text: 'carries text that needs a font; convert it to outlines',
};
const maxElements = 2_000;
/** Functions of CSS and of transforms that load nothing; `url` has a rule of its own. */
const functions = new Set(
  `url rgb rgba hsl hsla calc matrix translate translatex translatey scale scalex scaley rotate skewx
   skewy`.split(/\s+/),
);

/** Whether the text may be an SVG: markup whose first element is `svg`. */
export const looksLikeSvg = (source: string): boolean =>
  /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*|<!DOCTYPE[^>[]*>\s*)*<(?:\w+:)?svg[\s>]/.test(source);

/**
 * Returns the drawing with allowed elements and attributes only, without references outside the file. Throws
 * `LogoRefused` for a file that is not an SVG, or that has a forbidden element.
 */
export async function cleanSvg(source: string): Promise<{ svg: string; width: number; height: number }> {
  if (/<!ENTITY/i.test(source)) throw new LogoRefused('declares entities');
  const size = { width: 0, height: 0 };
  // Loaded on first use, because the customers' pages never need it.
  const { optimize } = await import('svgo');
  try {
    const { data } = optimize(source, {
      multipass: false,
      plugins: ['removeDoctype', 'removeXMLProcInst', 'removeComments', 'removeMetadata', onlyDrawing(size)],
    });
    if (!/<(?:path|rect|circle|ellipse|line|polyline|polygon)[\s/]/.test(data)) {
      throw new LogoRefused('draws nothing');
    }
    return { svg: data, ...size };
  } catch (error) {
    if (error instanceof LogoRefused) throw error;
    throw new LogoRefused('is not a readable SVG', { cause: error });
  }
}

function onlyDrawing(size: { width: number; height: number }): CustomPlugin {
  let elements = 0;
  return {
    name: 'onlyDrawing',
    fn: () => ({
      element: {
        enter: (element, parent) => {
          elements += 1;
          if (elements > maxElements) throw new LogoRefused(`has more than ${maxElements} elements`);
          const reason = refusedElements[element.name];
          if (reason !== undefined) throw new LogoRefused(reason);
          for (const [name, value] of Object.entries(element.attributes)) {
            checkAttribute(name, value);
            if (!attributes.has(name)) delete element.attributes[name];
          }
          if (!drawing.has(element.name)) {
            parent.children = parent.children.filter((child) => child !== element);
          } else if (parent.type === 'root') {
            setSize(element.attributes, size);
          }
        },
      },
      // `<?xml-stylesheet …?>` would load a style sheet.
      instruction: {
        enter: (instruction, parent) => {
          parent.children = parent.children.filter((child) => child !== instruction);
        },
      },
      text: { enter: ({ value }) => checkStyle(value) },
      cdata: { enter: ({ value }) => checkStyle(value) },
    }),
  };
}

function checkAttribute(name: string, value: string): void {
  if (/^on/i.test(name)) throw new LogoRefused('carries a script');
  if (/(?:^|:)href$/i.test(name) && !value.trim().startsWith('#')) throw externalReference();
  checkStyle(value);
}

/** Rejects styles and values that refer to anything outside the file. */
function checkStyle(text: string): void {
  if (/javascript:/i.test(text)) throw new LogoRefused('carries a script');
  if (/@|url\(\s*(?!["']?#)|\\/i.test(text)) throw externalReference();
  for (const [, name = ''] of text.matchAll(/([\w-]+)\(/g)) {
    if (!functions.has(name.toLowerCase())) throw externalReference();
  }
}

const externalReference = (): LogoRefused => new LogoRefused('refers to something outside the file');

/** Sets width and height from the drawing's own box, so that the logo fills its place on the page. */
function setSize(root: Record<string, string>, size: { width: number; height: number }): void {
  const sides = (root['viewBox'] ?? `0 0 ${px(root['width'])} ${px(root['height'])}`)
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [left = 0, top = 0, width = 0, height = 0] = sides;
  if (sides.length !== 4 || !sides.every(Number.isFinite) || width <= 0 || height <= 0) {
    throw new LogoRefused('has no size: give it a viewBox');
  }
  // Scales to the size that a PNG of the same shape gets.
  const scale = Math.min(480 / width, 96 / height);
  size.width = Math.max(1, Math.round(width * scale));
  size.height = Math.max(1, Math.round(height * scale));
  root['xmlns'] = 'http://www.w3.org/2000/svg';
  root['viewBox'] = `${left} ${top} ${width} ${height}`;
  root['width'] = String(size.width);
  root['height'] = String(size.height);
}

const px = (length: string | undefined): number => Number(/^\s*([\d.]+)(?:px)?\s*$/.exec(length ?? '')?.[1]);
