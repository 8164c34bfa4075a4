import type { FastifyRequest } from 'fastify';
import { longestPath } from './safe-redirect-path.ts';

/** Parameters that belong to one look at a page. */
const passing = ['done', 'answer-id'];

/** Returns the page of a form by the Referer header; `base`, the home page, for any other or a long one. */
export function refererPath(request: FastifyRequest, base: string): string {
  const { referer } = request.headers;
  if (referer === undefined || !URL.canParse(referer)) return base;
  const { pathname, searchParams } = new URL(referer);
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return base;
  // The confirmation that was open stays; the notice does not.
  for (const name of passing) searchParams.delete(name);
  const path = searchParams.size === 0 ? pathname : `${pathname}?${searchParams.toString()}`;
  return path.length <= longestPath ? path : base;
}
