import type { FastifyReply, FastifyRequest } from 'fastify';
import { accentStyle } from '../../checkout-page/shop.ts';
import { findLogo } from '../../db/merchants/branding.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Queryable } from '../../db/server/database.ts';
import { immutable } from '../../http/html-reply.ts';

/** GET /assets/accent/{rrggbb}.css: a stylesheet with one color. */
export const accentAsset = async (request: FastifyRequest, reply: FastifyReply) => {
  const { file } = request.params as { file: string };
  const color = /^([0-9a-f]{6})\.css$/.exec(file)?.[1];
  if (color === undefined) throw new Refusal('not_found');
  return reply
    .headers({ 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': immutable })
    .send(accentStyle(`#${color}`));
};

/**
 * GET /assets/logo/{sha256}.png|svg: a shop's logo, as this service rewrote it. When it is opened by itself,
 * a drawing may neither run scripts nor load anything.
 */
export const logoAsset =
  ({ database }: { database: Queryable }) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const { file } = request.params as { file: string };
    const [, sha256, ending] = /^([0-9a-f]{64})\.(png|svg)$/.exec(file) ?? [];
    const logo = sha256 === undefined ? null : await findLogo(database, sha256);
    if (!logo || (logo.contentType === 'image/png') !== (ending === 'png')) throw new Refusal('not_found');
    return reply
      .headers({
        'Content-Type': logo.contentType,
        'Cache-Control': immutable,
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      })
      .send(logo.bytes);
  };
