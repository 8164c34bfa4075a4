/** In characters: an address of this length is whole in every header, also inside of another. */
export const longestPath = 2_000;

/** Returns a path of the dashboard; its home page for anything else, and for one that is too long. */
export const safeRedirectPath = (to: string | null | undefined): string => {
  const path = to ?? '';
  const isOwn = /^\/dashboard\/(sandbox|live)(\/[\w./-]*)?(\?[\w=&%.+-]*)?$/.test(path);
  return isOwn && !path.includes('//') && path.length <= longestPath ? path : '/dashboard/sandbox';
};
