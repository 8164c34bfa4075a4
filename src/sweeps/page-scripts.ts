import { createHash } from 'node:crypto';

/** The compared parts of an answer to a customer's browser. */
export interface PageAnswer {
  status: number;
  /** The Content-Security-Policy header. */
  policy: string;
  text: string;
}

/** A script of a page. `source`: its address; null for a script within the page. */
interface PageScript {
  source: string | null;
  text: string;
}

/** Longest names of scripts in an alert. */
const longestName = 200;

/**
 * Returns the scripts of a page, in order. It finds script elements only. Other code that could run, such as
 * an attribute, is blocked by the policy, which is compared too.
 */
export function scriptsOf(html: string): PageScript[] {
  // An element without an end runs to the end of the page.
  return [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)(?:<\/script\b[^>]*>|$)/gi)].map(
    ([, attributes = '', text = '']) => {
      const [, , quoted, single, bare] =
        /\b(src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(attributes) ?? [];
      return { source: quoted ?? single ?? bare ?? null, text };
    },
  );
}

/** Returns the integrity of a script, as browsers compare it. */
export const integrityOf = (text: string): string =>
  `sha384-${createHash('sha384').update(text).digest('base64')}`;

/** The rules for a page's policy. */
export interface PolicyRules {
  /** Directives with their values, none of which may also occur with another value. */
  required: readonly string[];
  /** The only directive that scripts may have. */
  scripts: string;
}

const directivesOf = (policy: string): string[] =>
  policy.split(';').map((one) => one.trim().replaceAll(/\s+/g, ' '));

/** Returns the rules that require the whole policy. */
export function rulesOf(policy: string): PolicyRules {
  const directives = directivesOf(policy);
  const scripts = directives.find((one) => one.startsWith('script-src')) ?? "script-src 'none'";
  return { required: directives.filter((one) => one !== scripts), scripts };
}

/** Returns whether a policy allows more than these rules. */
export function isWrongPolicy(policy: string, { required, scripts }: PolicyRules): boolean {
  const directives = directivesOf(policy);
  const nameOfDirective = (one: string): string => one.toLowerCase().split(' ', 1)[0] ?? '';
  const isAlone = (rule: string): boolean =>
    directives.every((one) => one === rule || nameOfDirective(one) !== nameOfDirective(rule));
  const ofScripts = directives.filter((one) => /^script-src/i.test(one));
  return !(
    required.every((rule) => directives.includes(rule) && isAlone(rule)) &&
    ofScripts.every((one) => one === scripts)
  );
}

/** Returns the name of a foreign script for an alert: its address without a query, or its hash. */
export function nameOf({ source, text }: PageScript, page: string): string {
  if (source === null) return `inline script ${integrityOf(text)}`;
  if (!URL.canParse(source, page)) return 'a script without an address';
  const { origin, pathname } = new URL(source, page);
  return `${origin === new URL(page).origin ? '' : origin}${pathname}`.slice(0, longestName);
}
