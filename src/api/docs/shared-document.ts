import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding } from '../../http/accepted-encoding.ts';

/** A document that is built once and sent to all callers. Each encoding is made for its first caller. */
export interface SharedDocument {
  contentType: string;
  plain: Buffer;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
}

/** Returns a text that is compressed at most once in each supported encoding. */
export function sharedDocument(contentType: string, text: string): SharedDocument {
  const plain = Buffer.from(text);
  let brotli: Buffer | undefined;
  let gzip: Buffer | undefined;
  return {
    contentType,
    plain,
    get brotli() {
      brotli ??= brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
      return brotli;
    },
    get gzip() {
      gzip ??= gzipSync(plain, { level: 9 });
      return gzip;
    },
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
