import type { Logger } from 'pino';
import type { Database } from '../db/server/database.ts';
import { confirmAlert } from '../db/server/operator-alerts.ts';
import type { SweepAlerts } from './alerts.ts';
import {
  type PageAnswer,
  type PolicyRules,
  integrityOf,
  isWrongPolicy,
  nameOf,
  scriptsOf,
} from './page-scripts.ts';

/** The name of the sweep in alerts. */
export const watchName = 'payment page';
/** Longest text of an alert; the log has the whole text. */
const longestDetail = 64;
/** The longest answer that is read, in bytes. No page and no script of this service is longer. */
const maxAnswerBytes = 1024 * 1024;
/** How long an answer may take, in ms. */
const timeoutMs = 10_000;

/** A page that a customer's browser receives, as this build serves it. */
export interface WatchedPage {
  /** Its name in docs/checkout/scripts.json and in alerts, without the secret of a payment's address. */
  name: string;
  /** The setting with its base URL, for an error. */
  setting: string;
  /** Our script's path and integrity. */
  script: { path: string; integrity: string };
  /** Addresses of scripts from other servers, whose hash is unknown. */
  elsewhere: readonly string[];
  policy: PolicyRules;
}

export interface PageWatchDeps {
  database: Database;
  alerts: Pick<SweepAlerts, 'clear'>;
  logger: Pick<Logger, 'error'>;
  get?: (url: string) => Promise<PageAnswer>;
}

/**
 * Returns the check of a page, which alerts operators when the page runs another script or has another policy
 * than this build's. A changed script file at our path alerts only at the second check in a row, because
 * another build serves during a deploy. All else alerts at once. The check throws when the page cannot be
 * read. ADR 0077.
 */
export function createPageWatch(
  { database, alerts, logger, get = getBounded }: PageWatchDeps,
  page: WatchedPage,
): (url: string, paymentId?: string) => Promise<void> {
  let differedBefore = false;

  /** Returns the first difference; null when there is none, undefined when the page cannot be judged. */
  async function differenceAt(
    url: string,
  ): Promise<{ what: string; mayBeDeploy: boolean } | null | undefined> {
    const answer = await get(url);
    // The payment has ended since it was found, or the request was rate-limited.
    if ([404, 410, 429].includes(answer.status)) return undefined;
    if (answer.status !== 200) throw new Error(`the page answered ${answer.status}`);
    const at = (what: string, mayBeDeploy = false) => ({ what, mayBeDeploy });
    const scripts = scriptsOf(answer.text).filter(({ source }) => !page.elsewhere.includes(source ?? ''));
    const isOurs = ({ source }: (typeof scripts)[number]): boolean =>
      source !== null && nameOf({ source, text: '' }, url) === page.script.path;
    const foreign = scripts.find((one) => !isOurs(one));
    if (foreign) return at(nameOf(foreign, url));
    if (isWrongPolicy(answer.policy, page.policy)) return at('Content-Security-Policy');
    const [own] = scripts;
    if (!own?.source) return null;
    const file = await get(new URL(own.source, url).href);
    if (file.status !== 200) throw new Error(`the page's script answered ${file.status}`);
    const integrity = integrityOf(file.text);
    return integrity === page.script.integrity ? null : at(`${page.script.path} ${integrity}`, true);
  }

  return async (url, paymentId) => {
    const found = await differenceAt(url).catch((error: unknown) => {
      throw new Error(`${page.setting}: ${page.name} could not be read from this worker`, { cause: error });
    });
    if (found === undefined) return;
    if (found === null) {
      differedBefore = false;
      await alerts.clear(watchName, page.name);
      return;
    }
    const isCertain = !found.mayBeDeploy || differedBefore;
    differedBefore = true;
    if (!isCertain) return;
    const detail = found.what.slice(0, longestDetail);
    if (await confirmAlert(database, { sweep: watchName, subject: page.name, detail })) {
      logger.error(
        { page: page.name, paymentId, what: found.what },
        'needs attention: the payment page runs what this build does not ship',
      );
    }
  };
}

/** Returns an answer of at most 1 MiB within 10 s. Throws for a redirect, without the secret address. */
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
      if (bytes > maxAnswerBytes) throw new Error('too long');
      chunks.push(chunk);
    }
    return {
      status: answer.status,
      policy: answer.headers.get('content-security-policy') ?? '',
      text: Buffer.concat(chunks).toString('utf8'),
    };
  } catch {
    throw new Error('no answer, a redirect, or more than 1 MiB');
  }
}
