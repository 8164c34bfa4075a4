import { deflateSync } from 'node:zlib';
import { decode, encode } from 'fast-png';
import { cleanLogo, maxLogoBytes } from '../../../src/branding/logo.ts';

const svg = (inside: string, attributes = 'viewBox="0 0 40 20"'): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);
const square = '<path d="M0 0h10v10H0z" fill="#0f766e"/>';

/** A picture of one color. */
const png = (
  width: number,
  height: number,
  [red, green, blue, alpha]: number[] = [10, 120, 110, 255],
): Buffer => {
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at += 1)
    data.set([red ?? 0, green ?? 0, blue ?? 0, alpha ?? 0], at * 4);
  return Buffer.from(encode({ width, height, data, channels: 4, depth: 8, text: { Author: 'an author' } }));
};

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
/** Builds a PNG by hand, for formats that our encoder does not write. */
function rawPng(
  { width, height, depth, colorType }: { width: number; height: number; depth: number; colorType: number },
  rows: Buffer,
  extra: Buffer[] = [],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colorType, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...extra,
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('a logo as SVG', () => {
  it('keeps what draws and removes everything else', async () => {
    const logo = await cleanLogo(
      Buffer.concat([
        Buffer.from('<?xml version="1.0"?><!-- made by hand --><!DOCTYPE svg>'),
        svg(
          `<metadata>secret</metadata><title>T</title><style>.a{fill:#f00}</style><g class="a" data-x="1" inkscape:label="l" xmlns:inkscape="i">${square}</g>`,
          'viewBox="0 0 40 20" id="root" width="9999"',
        ),
      ]),
    );
    const text = logo.bytes.toString();
    expect(logo).toMatchObject({ contentType: 'image/svg+xml', width: 192, height: 96 });
    expect(text).toContain('<path');
    expect(text).not.toMatch(/secret|inkscape|data-x|DOCTYPE|made by hand|9999/);
  });

  it('has the same hash for the same drawing, and another for another drawing', async () => {
    const [one, same, other] = await Promise.all(
      [svg(square), svg(square), svg(square.replace('0f766e', 'ff0000'))].map((file) => cleanLogo(file)),
    );
    expect(one?.sha256).toBe(same?.sha256);
    expect(one?.sha256).not.toBe(other?.sha256);
  });

  it.each([
    ['a script', `<script>alert(1)</script>${square}`, 'carries a script'],
    ['a handler', `<g onload="alert(1)">${square}</g>`, 'carries a script'],
    ['a handler in other letters', `<g oNLoAd="alert(1)">${square}</g>`, 'carries a script'],
    ['a javascript address', `<a href="javascript:alert(1)">${square}</a>`, 'refers to something outside'],
    ['a foreign document', `<foreignObject><p>hi</p></foreignObject>${square}`, 'carries a foreign document'],
    ['an image', `<image href="https://evil.example/x.png"/>${square}`, 'carries another image'],
    ['an image of its own', `<image href="data:image/png;base64,AAAA"/>${square}`, 'carries another image'],
    [
      'a style from elsewhere',
      `<style>@import "https://evil.example/a.css";</style>${square}`,
      'refers to something outside',
    ],
    [
      'a fill from elsewhere',
      '<path d="M0 0h1v1z" fill="url(https://evil.example/#a)"/>',
      'refers to something outside',
    ],
    [
      'a hidden address',
      '<path d="M0 0h1v1z" style="fill:u\\72l(//evil.example)"/>',
      'refers to something outside',
    ],
    [
      'a set of images',
      `<style>.a{mask:image-set("https://evil.example/a")}</style>${square}`,
      'refers to something',
    ],
    [
      'a source',
      `<g style='mask:src("https://evil.example/a")'>${square}</g>`,
      'refers to something outside',
    ],
    ['references that multiply', `<g id="a"><use href="#a"/></g>${square}`, 'draws parts by reference'],
    ['text', '<text>Shop</text>', 'convert it to outlines'],
    ['nothing that draws', '<g/>', 'draws nothing'],
    ['too much', square.repeat(2_001), 'more than 2000 elements'],
  ])('with %s is rejected', async (_case, inside, reason) => {
    await expect(cleanLogo(svg(inside))).rejects.toThrow(reason);
  });

  it('loads no style sheet by an instruction', async () => {
    const sheet = '<?xml-stylesheet type="text/css" href="https://evil.example/x.css"?>';
    const inside = (await cleanLogo(svg(sheet + square))).bytes.toString();
    const before = (await cleanLogo(Buffer.concat([Buffer.from(sheet), svg(square)]))).bytes.toString();
    expect(inside + before).not.toContain('evil');
  });

  it('is rejected when it declares entities, is truncated or has no size', async () => {
    const bomb = Buffer.from(
      '<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
    );
    await expect(cleanLogo(bomb)).rejects.toThrow(/declares entities|must be a PNG or an SVG/);
    await expect(cleanLogo(svg(square).subarray(0, 80))).rejects.toThrow('is not a readable SVG');
    await expect(cleanLogo(svg(square, ''))).rejects.toThrow('has no size');
    await expect(cleanLogo(svg(square, 'viewBox="0 0 0 0"'))).rejects.toThrow('has no size');
  });
});

describe('a logo as PNG', () => {
  it('is encoded again: the picture only, no larger than it is displayed', async () => {
    const logo = await cleanLogo(png(960, 480));
    expect(logo).toMatchObject({ contentType: 'image/png', width: 192, height: 96 });
    expect(logo.bytes.toString('latin1')).not.toContain('an author');
    const picture = decode(logo.bytes);
    expect([picture.width, picture.height, ...picture.data.subarray(0, 4)]).toEqual([
      192, 96, 10, 120, 110, 255,
    ]);
  });

  it('keeps its transparency when it is scaled down', async () => {
    const { bytes } = await cleanLogo(png(500, 500, [255, 0, 0, 128]));
    expect([...decode(bytes).data.subarray(0, 4)]).toEqual([255, 0, 0, 128]);
  });

  it('keeps its colors with a palette, with one-bit grey and with a transparent color', async () => {
    const palette = rawPng({ width: 2, height: 1, depth: 2, colorType: 3 }, Buffer.from([0, 0b01_10_00_00]), [
      chunk('PLTE', Buffer.from([0, 0, 0, 255, 0, 0, 0, 255, 0])),
      chunk('tRNS', Buffer.from([255, 255, 0])),
    ]);
    expect([...decode((await cleanLogo(palette)).bytes).data]).toEqual([255, 0, 0, 255, 0, 0, 0, 0]);
    const grey = rawPng({ width: 2, height: 1, depth: 1, colorType: 0 }, Buffer.from([0, 0b0100_0000]));
    expect([...decode((await cleanLogo(grey)).bytes).data]).toEqual([0, 0, 0, 255, 255, 255, 255, 255]);
    const keyed = rawPng(
      { width: 3, height: 1, depth: 8, colorType: 2 },
      Buffer.from([0, 1, 2, 3, 9, 9, 9, 1, 2, 3]),
      [chunk('tRNS', Buffer.from([0, 1, 0, 2, 0, 3]))],
    );
    expect([...decode((await cleanLogo(keyed)).bytes).data]).toEqual([0, 0, 0, 0, 9, 9, 9, 255, 0, 0, 0, 0]);
  });

  it('is rejected before decompression when it has too many pixels, and when it decompresses to more than it declares', async () => {
    const wide = rawPng({ width: 5_000, height: 10, depth: 8, colorType: 2 }, Buffer.alloc(0));
    await expect(cleanLogo(wide)).rejects.toThrow('5000 × 10 pixels; 2048 a side is the most');
    const bomb = rawPng({ width: 8, height: 8, depth: 8, colorType: 6 }, Buffer.alloc(50_000_000));
    await expect(cleanLogo(bomb)).rejects.toThrow('is not a readable PNG');
  });

  it.each([
    ['text', Buffer.from('hello'), 'must be a PNG or an SVG'],
    ['nothing', Buffer.alloc(0), 'must be a PNG or an SVG'],
    ['a page', Buffer.from('<html><svg></svg></html>'), 'must be a PNG or an SVG'],
    ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'must be a PNG or an SVG'],
    ['a PNG by its name only', Buffer.from('89504e470d0a1a0a0000', 'hex'), 'is not a readable PNG'],
    ['half a PNG', png(100, 100).subarray(0, 120), 'is not a readable PNG'],
    ['too much', Buffer.alloc(maxLogoBytes + 1), '256 KB is the most'],
  ])('rejects %s', async (_case, file, reason) => {
    await expect(cleanLogo(file)).rejects.toThrow(reason);
  });
});
