import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding } from '../../http/accepted-encoding.ts';

/** A document that is built once and sent to all callers, so that an answer costs only its headers. */
export interface SharedDocument {
  contentType: string;
  plain: Buffer;
  brotli: Buffer;
  gzip: Buffer;
}

/** Compresses a text once, in each supported encoding. */
export function sharedDocument(contentType: string, text: string): SharedDocument {
  const plain = Buffer.from(text);
  return {
    contentType,
    plain,
    brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    gzip: gzipSync(plain, { level: 9 }),
  };
}

/** Sends a shared document in the best encoding that the caller accepts. */
export function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  document: SharedDocument,
): FastifyReply {
  void reply.headers({
    'Content-Type': document.contentType,
    'Cache-Control': 'public, max-age=300',
    Vary: 'Accept-Encoding',
  });
  const encoding = acceptedEncoding(request);
  if (encoding === null) return reply.send(document.plain);
  return reply.header('Content-Encoding', encoding).send(encoding === 'br' ? document.brotli : document.gzip);
}
