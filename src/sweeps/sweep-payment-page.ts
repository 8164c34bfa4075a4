import type { Logger } from 'pino';
import type { Database } from '../db/server/database.ts';
import { confirmAlert } from '../db/server/operator-alerts.ts';
import { findOpenPage } from '../db/payments/watched-page.ts';
import type { SweepAlerts } from './alerts.ts';
import { integrityOf, nameOf, type PageAnswer, scriptsOf, wrongPolicy } from './page-scripts.ts';
import type { Sweep } from './sweep.ts';

const name = 'payment page';
/** The page by the name of the inventory: its own address is a secret. */
const page = '/c/{token}';
/** Longest text of an alert, which the log has whole. */
const longestDetail = 64;
/** No page and no script of ours is longer, in bytes. */
const longest = 1024 * 1024;
const timeoutMs = 10_000;

/**
 * Returns the sweep that reads one open payment page as a customer does, and alerts operators when it runs
 * another script or has another policy than this build's (PCI DSS 11.6.1). Our file with other bytes alerts
 * at the second look in a row: during a deploy another build serves. All else alerts at once. ADR 0077.
 */
export function createPaymentPageSweep(deps: {
  database: Database;
  alerts: Pick<SweepAlerts, 'clear'>;
  /** Base URL under which customers reach the pages. */
  publicUrl: string;
  /** Our script's path and integrity. */
  script: { path: string; integrity: string };
  /** Returns the page's address from its sealed one. */
  openUrl: (sealed: Buffer, paymentId: string) => string;
  everyMs: number;
  logger: Pick<Logger, 'error'>;
  get?: (url: string) => Promise<PageAnswer>;
}): Sweep {
  const { database, alerts, publicUrl, script, logger, get = getBounded } = deps;
  let differedBefore = false;

  /** Returns the first thing that differs, null where nothing does, undefined where it cannot be judged. */
  async function look(url: string): Promise<{ what: string; mayBeDeploy: boolean } | null | undefined> {
    const answer = await get(url);
    // Ended since it was found, or limited.
    if ([404, 410, 429].includes(answer.status)) return undefined;
    if (answer.status !== 200) throw new Error(`the payment page answered ${answer.status}`);
    const scripts = scriptsOf(answer.text);
    const isOurs = ({ source }: (typeof scripts)[number]): boolean =>
      source !== null && nameOf({ source, text: '' }, url) === script.path;
    const foreign = scripts.find((one) => !isOurs(one));
    const at = (what: string, mayBeDeploy = false) => ({ what, mayBeDeploy });
    if (foreign) return at(nameOf(foreign, url));
    const policy = wrongPolicy(answer.policy);
    if (policy !== null) return at(policy);
    const [own] = scripts;
    if (!own?.source) return null;
    const file = await get(new URL(own.source, url).href);
    if (file.status !== 200) throw new Error(`the payment page's script answered ${file.status}`);
    return integrityOf(file.text) === script.integrity
      ? null
      : at(`${script.path} ${integrityOf(file.text)}`, true);
  }

  return {
    name,
    role: 'payments',
    everyMs: deps.everyMs,
    run: async () => {
      const open = await findOpenPage(database);
      if (open === null) return;
      const { pathname } = new URL(deps.openUrl(open.sealed, open.paymentId));
      const found = await look(publicUrl + pathname);
      if (found === undefined) return;
      if (found === null) {
        differedBefore = false;
        await alerts.clear(name, page);
        return;
      }
      const isCertain = !found.mayBeDeploy || differedBefore;
      differedBefore = true;
      if (!isCertain) return;
      const { paymentId } = open;
      const detail = found.what.slice(0, longestDetail);
      if (await confirmAlert(database, { sweep: name, subject: page, detail })) {
        logger.error(
          { page, paymentId, what: found.what },
          'needs attention: the payment page runs what this build does not ship',
        );
      }
    },
  };
}

/** Returns an answer of at most 1 MiB within 10 s. Throws for a redirect, without the address. */
async function getBounded(url: string): Promise<PageAnswer> {
  try {
    const answer = await fetch(url, {
      headers: { accept: 'text/html,*/*' },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      if (bytes > longest) throw new Error('too long');
      chunks.push(chunk);
    }
    return {
      status: answer.status,
      policy: answer.headers.get('content-security-policy') ?? '',
      text: Buffer.concat(chunks).toString('utf8'),
    };
  } catch {
    // The address holds the secret of the page.
    throw new Error('PUBLIC_URL: the payment page could not be read from this worker');
  }
}
