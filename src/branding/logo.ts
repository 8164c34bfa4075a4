import { createHash } from 'node:crypto';
import type { Logo } from '../domain/branding.ts';
import { LogoRefused } from './logo-refused.ts';
import { cleanPng, isPng } from './png.ts';
import { cleanSvg, looksLikeSvg } from './svg.ts';

/** Largest accepted file, in bytes. */
export const maxLogoBytes = 256 * 1024;
/** Largest cleaned logo, in bytes, so that the page stays small. */
const maxServedBytes = 24 * 1024;

/**
 * Returns a logo made from a merchant's file: PNG or SVG by its content, cleaned and encoded again. Throws
 * `LogoRefused` with the reason, also if the file is too large.
 */
export async function cleanLogo(file: Buffer): Promise<Logo & { bytes: Buffer }> {
  if (file.length > maxLogoBytes) {
    throw new LogoRefused(`is ${kilobytes(file)} KB; ${maxLogoBytes / 1024} KB is the most`);
  }
  const logo = await cleaned(file);
  if (logo.bytes.length > maxServedBytes) {
    const reason = `is still ${kilobytes(logo.bytes)} KB when cleaned; ${maxServedBytes / 1024} KB is the most`;
    throw new LogoRefused(reason);
  }
  return { ...logo, sha256: createHash('sha256').update(logo.bytes).digest('hex') };
}

const kilobytes = (bytes: Buffer): number => Math.ceil(bytes.length / 1024);

async function cleaned(file: Buffer): Promise<Omit<Logo, 'sha256'> & { bytes: Buffer }> {
  if (isPng(file)) return { ...cleanPng(file), contentType: 'image/png' };
  const source = file.toString('utf8');
  if (!looksLikeSvg(source)) throw new LogoRefused('must be a PNG or an SVG');
  const { svg, width, height } = await cleanSvg(source);
  return { bytes: Buffer.from(svg), contentType: 'image/svg+xml', width, height };
}
