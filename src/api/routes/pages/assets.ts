import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Serves one file of the checkout page, read once. */
export function pageAsset(name: string, contentType: string) {
  let file: Promise<Buffer> | null = null;
  return async (_request: FastifyRequest, reply: FastifyReply) => {
    file ??= readFile(new URL(`../../../checkout-page/assets/${name}`, import.meta.url));
    return reply
      .header('Content-Type', contentType)
      .header('Cache-Control', 'public, max-age=300')
      .send(await file);
  };
}
