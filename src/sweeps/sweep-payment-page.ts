import { findOpenPage } from '../db/payments/watched-page.ts';
import { type PageWatchDeps, type WatchedPage, createPageWatch, watchName } from './page-watch.ts';
import type { PolicyRules } from './page-scripts.ts';
import type { Sweep } from './sweep.ts';

/** The payment page's name in the inventory of scripts; its own address is a secret. */
const pageName = '/c/{token}';

const pagePolicy: PolicyRules = {
  required: ["default-src 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"],
  scripts: "script-src 'self'",
};

/**
 * Returns the sweep that reads one open payment page, and the frames that such pages show, as a customer
 * does, and compares what they run with what this build ships (PCI DSS 11.6.1). A page that cannot be read
 * does not block the others. ADR 0077.
 */
export function createPaymentPageSweep({
  publicUrl,
  script,
  frames,
  openUrl,
  everyMs,
  ...deps
}: PageWatchDeps & {
  /** Base URL under which customers reach the pages. */
  publicUrl: string;
  /** The payment page's script: path and integrity. */
  script: { path: string; integrity: string };
  /** The frames, each with an address that belongs to no payment. */
  frames: readonly (WatchedPage & { url: string })[];
  /** Returns the page's address from its sealed one. */
  openUrl: (sealed: Buffer, paymentId: string) => string;
  everyMs: number;
}): Sweep {
  const watchPage = createPageWatch(deps, {
    ...{ name: pageName, setting: 'PUBLIC_URL', script, elsewhere: [], policy: pagePolicy },
  });
  const checkOpenPage = async (): Promise<void> => {
    const open = await findOpenPage(deps.database);
    if (open === null) return;
    const { pathname } = new URL(openUrl(open.sealed, open.paymentId));
    await watchPage(publicUrl + pathname, open.paymentId);
  };
  const checks = [
    checkOpenPage,
    ...frames.map(({ url, ...frame }) => {
      const watch = createPageWatch(deps, frame);
      return () => watch(url);
    }),
  ];
  return {
    ...{ name: watchName, role: 'payments', everyMs },
    run: async () => {
      const errors: unknown[] = [];
      for (const check of checks) await check().catch((error: unknown) => errors.push(error));
      if (errors.length > 0) throw errors[0];
    },
  };
}
