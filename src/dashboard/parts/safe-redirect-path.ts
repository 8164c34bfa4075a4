/** In characters. An address of this length fits into every header, also inside another address. */
export const longestPath = 2_000;

/** Returns the path if it is one of the dashboard and not too long; otherwise the home page. */
export const safeRedirectPath = (to: string | null | undefined): string => {
  const path = to ?? '';
  const isOwn = /^\/dashboard\/(sandbox|live)(\/[\w./-]*)?(\?[\w=&%.+-]*)?$/.test(path);
  return isOwn && !path.includes('//') && path.length <= longestPath ? path : '/dashboard/sandbox';
};
