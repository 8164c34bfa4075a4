/** Returns a path of the dashboard; its home page for anything else. */
export const safeRedirectPath = (to: string | null | undefined): string =>
  /^\/dashboard\/(sandbox|live)(\/[\w./-]*)?(\?[\w=&%.+-]*)?$/.test(to ?? '') && !to?.includes('//')
    ? (to ?? '')
    : '/dashboard/sandbox';
