import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Asset } from '../../checkout-page/assets.ts';
import { accentStyle } from '../../checkout-page/shop.ts';
import { findLogo } from '../../db/merchants/branding.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { acceptedEncoding } from '../../http/accepted-encoding.ts';

/** What is found by its own content never changes: it is asked for once. */
const forEver = 'public, max-age=31536000, immutable';

/** Serves one file of the customer's pages; under its versioned address it may be kept for ever. */
export const pageAsset = (asset: Asset) => async (request: FastifyRequest, reply: FastifyReply) => {
  const versioned = request.url === asset.versionedPath;
  void reply.headers({
    'Content-Type': asset.contentType,
    'Cache-Control': versioned ? forEver : 'public, max-age=300',
    // Shops load embed.js from their own pages, with `integrity` and `crossorigin` where they pin it.
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    Vary: 'Accept-Encoding',
  });
  const encoding = acceptedEncoding(request);
  if (encoding === null) return reply.send(asset.bytes);
  return reply.header('Content-Encoding', encoding).send(encoding === 'br' ? asset.brotli : asset.gzip);
};

/** GET /assets/accent/{rrggbb}.css: a stylesheet that says one colour. */
export const accentAsset = async (request: FastifyRequest, reply: FastifyReply) => {
  const { file } = request.params as { file: string };
  const colour = /^([0-9a-f]{6})\.css$/.exec(file)?.[1];
  if (colour === undefined) throw new Refusal('not_found');
  return reply
    .headers({ 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': forEver })
    .send(accentStyle(`#${colour}`));
};

/**
 * GET /assets/logo/{sha256}.png|svg: a shop's logo, as this service wrote it. Opened by itself, a drawing may
 * neither run nor load anything.
 */
export const logoAsset = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const { file } = request.params as { file: string };
  const [, sha256, ending] = /^([0-9a-f]{64})\.(png|svg)$/.exec(file) ?? [];
  const logo = sha256 === undefined ? null : await findLogo(deps.database, sha256);
  if (!logo || (logo.contentType === 'image/png') !== (ending === 'png')) throw new Refusal('not_found');
  return reply
    .headers({
      'Content-Type': logo.contentType,
      'Cache-Control': forEver,
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    })
    .send(logo.bytes);
};
