import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Asset } from '../../checkout-page/assets.ts';
import { acceptedEncoding } from '../http/accepted-encoding.ts';

/** Serves one file of the customer's pages; under its versioned address it may be kept for ever. */
export const pageAsset = (asset: Asset) => async (request: FastifyRequest, reply: FastifyReply) => {
  const versioned = request.url === asset.versionedPath;
  void reply.headers({
    'Content-Type': asset.contentType,
    'Cache-Control': versioned ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
    // Shops load embed.js from their own pages, with `integrity` and `crossorigin` where they pin it.
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    Vary: 'Accept-Encoding',
  });
  const encoding = acceptedEncoding(request);
  if (encoding === null) return reply.send(asset.bytes);
  return reply.header('Content-Encoding', encoding).send(encoding === 'br' ? asset.brotli : asset.gzip);
};
