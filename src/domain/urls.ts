import { isLengthWithin, isStorableText } from './text.ts';

export interface UrlOptions {
  /** Development only: plain HTTP on exactly localhost, 127.0.0.1 or ::1 (AMB-17). */
  allowHttpLoopback: boolean;
}

export type UriResult = { ok: true; url: URL } | { ok: false; reason: string };
export type OriginResult = { ok: true; origin: string } | { ok: false; reason: string };

/** Spec: Limits > successUrl and others. Holds for the text as sent and for its serialized form (AMB-18). */
export const maxUriLength = 2048;
/** Spec: Limits > embeddingOrigin. */
export const maxOriginLength = 255;

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

// Characters that a parser would trim, drop, escape or read as a slash: control characters, the space and the
// backslash. The stored text must be the text that was checked.
const repairedClass = '\\u0000-\\u0020\\u007f-\\u009f\\\\';
const repaired = new RegExp(`[${repairedClass}]`);
const schemeAndAuthority = /^https?:\/\/([^/?]*)/i;
const httpsAuthority = `^[Hh][Tt][Tt][Pp][Ss]://[^/?#@${repairedClass}]+`;
/** The part of the production rules of checkUri and checkOrigin that a pattern can express, without hosts. */
export const httpsUriPattern = `${httpsAuthority}(?:[/?][^#${repairedClass}]*)?$`;
export const httpsOriginPattern = `${httpsAuthority}$`;
// Parsers accept `*`, `;` and quotes in a host. No real host has them, and hosts are put into header values.
const plainHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;
// An empty encoded label: Node 20 and 22 refuse it, Node 24 parses it.
const emptyEncodedLabel = /(?:^|\.)xn--(?:\.|$)/;

const refused = (reason: string): { ok: false; reason: string } => ({ ok: false, reason });

/**
 * Returns the URL of a text that the service accepts: absolute, HTTPS (or HTTP on a loopback host where
 * allowed), 1-2048 characters, without credentials and without a fragment. Hosts are checked in canonical
 * form (`http://127.1` is 127.0.0.1); anything a parser would silently repair is refused. `reason` completes
 * "<field> …". Store and redirect to the text as sent (AMB-53); `url` is for its origin. Spec: Resources >
 * URL format; URL-01 to -09, AMB-18.
 */
export function checkUri(raw: string, options: UrlOptions): UriResult {
  if (!isLengthWithin(raw, 1, maxUriLength)) return refused(`must be 1 to ${maxUriLength} characters long`);
  if (!isStorableText(raw) || repaired.test(raw)) {
    return refused('must not contain spaces, control characters or backslashes');
  }
  if (raw.includes('#')) return refused('must not have a fragment');
  const authority = schemeAndAuthority.exec(raw)?.[1];
  if (authority === undefined || authority === '') return refused('must be an absolute https URL');
  // On the text, because parsers drop the empty credentials of `https://@host/`.
  if (authority.includes('@')) return refused('must not have credentials');
  const url = parse(raw);
  if (url === undefined) return refused('must be a valid URL');
  if (!plainHost.test(url.hostname) || emptyEncodedLabel.test(url.hostname))
    return refused('must have a valid host');
  if (url.href.length > maxUriLength) return refused(`must be at most ${maxUriLength} characters long`);
  if (url.protocol === 'http:' && !(options.allowHttpLoopback && loopbackHosts.includes(url.hostname))) {
    return refused('must use https');
  }
  return { ok: true, url };
}

/**
 * Returns the origin of a website (scheme, host and port, nothing else) that a text names, by the rules of
 * checkUri and with 1-255 characters. It is in the canonical form in which approved origins are compared:
 * lower-case, ASCII host, no default port. `https://shop.example/`, `*` and `null` are no origins. Spec:
 * Create > embeddingOrigin; AMB-51.
 */
export function checkOrigin(raw: string, options: UrlOptions): OriginResult {
  if (!isLengthWithin(raw, 1, maxOriginLength))
    return refused(`must be 1 to ${maxOriginLength} characters long`);
  const checked = checkUri(raw, options);
  if (!checked.ok) return checked;
  if (schemeAndAuthority.exec(raw)?.[0] !== raw) return refused('must be a scheme, a host and a port only');
  const { origin } = checked.url;
  if (origin.length > maxOriginLength) return refused(`must be at most ${maxOriginLength} characters long`);
  return { ok: true, origin };
}

// Not URL.canParse: once optimized, Node 20's refuses URLs with letters such as ü, which it accepted before.
function parse(raw: string): URL | undefined {
  try {
    return new URL(raw);
  } catch {
    return undefined;
  }
}
