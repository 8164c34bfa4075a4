import type { FastifyRequest } from 'fastify';
import { longestPath } from './safe-redirect-path.ts';

/** Parameters that apply to one view of a page only. */
const passing = ['done', 'answer-id'];

/**
 * Returns the path of the form's page from the Referer header; `base`, the home page, if that is another page
 * or too long.
 */
export function refererPath(request: FastifyRequest, base: string): string {
  const { referer } = request.headers;
  if (referer === undefined || !URL.canParse(referer)) return base;
  const { pathname, searchParams } = new URL(referer);
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return base;
  // An open confirmation stays in the address; the notice does not.
  for (const name of passing) searchParams.delete(name);
  const path = searchParams.size === 0 ? pathname : `${pathname}?${searchParams.toString()}`;
  return path.length <= longestPath ? path : base;
}
