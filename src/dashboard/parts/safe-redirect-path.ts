/** Returns a place of the dashboard to lead to; its start for anything else. */
export const safeRedirectPath = (to: string | null | undefined): string =>
  /^\/dashboard\/(sandbox|live)(\/[\w./-]*)?(\?[\w=&%.+-]*)?$/.test(to ?? '') && !to?.includes('//')
    ? (to ?? '')
    : '/dashboard/sandbox';
