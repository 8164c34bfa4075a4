import { refusalIn } from './api-surface.ts';
import { type Found, kindOfPath } from './found.ts';
import type { HostileAnswer, HostileRequest } from './surface.ts';
import { hostileStrings } from './values.ts';
import type { Random } from '../support/harness/random.ts';

/** A visitor: its origin, its headers, and the forms and links that it found. */
export interface Visitor {
  origin: string;
  /** Its name in the figures. */
  name: string;
  headers: Record<string, string>;
  found: Found;
  /** Whether an answer may lead to an address, given as it is in `Location`. */
  mayLeadTo: (location: string) => boolean;
}

/** Would run in a page that shows it unescaped. */
const script = '"><script>fuzz()</script>';

/** The statuses with which pages answer any request. */
const statuses = new Set([200, 302, 303, 400, 401, 403, 404, 409, 410, 413, 415, 422, 429]);

/** Draws a page or a form that the visitor found, mostly with one defect. */
export function drawVisit(random: Random, visitor: Visitor): HostileRequest {
  const { forms, links } = visitor.found;
  const request =
    forms.length > 0 && random.chance(0.6) ? drawForm(random, forms) : drawLink(random, random.pick(links));
  const headers = { ...visitor.headers, ...request.headers };
  if (random.chance(0.03)) delete headers['cookie'];
  if (random.chance(0.1)) headers['accept'] = random.pick(['application/json', '*/*;q=x', '']);
  if (random.chance(0.1))
    headers['accept-language'] = random.pick(['pt', 'x'.repeat(2_000), ';;q=,', 'es;q=9']);
  const [path = ''] = request.path.split('?', 1);
  return {
    ...request,
    name: `${visitor.name} ${request.method} ${isHostilePath(path) ? '(another path)' : kindOfPath(path)}`,
    headers,
    url: visitor.origin + request.path,
    verdict(answer) {
      const type = answer.headers.get('content-type') ?? '';
      if (answer.status === 200 && type.startsWith('text/html') && request.method === 'GET')
        visitor.found.read(path, answer.text);
      // The page that answers a form is opened later, like any other.
      const location = answer.headers.get('location');
      if (location?.startsWith('/') === true) visitor.found.addLink(location);
      return verdictOfPage(visitor, answer);
    },
  };
}

interface PageRequest {
  path: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

function drawLink(random: Random, link: string): PageRequest {
  const get = { method: 'GET', headers: {}, body: undefined };
  if (random.chance(0.3)) return { ...get, path: link };
  const [path = '', query = ''] = link.split('?', 2);
  if (random.chance(0.2)) return { ...get, path: brokenPath(random, path) };
  const fields = changed(random, [...new URLSearchParams(query)]);
  if (random.chance(0.3))
    fields.push([
      random.pick(['from', 'to', 'q', 'cursor', 'status', 'sort', 'page', 'lang', 'theme', 'to']),
      value(random),
    ]);
  return { ...get, path: `${path}?${new URLSearchParams(fields).toString()}` };
}

function drawForm(
  random: Random,
  forms: readonly { action: string; fields: [string, string][] }[],
): PageRequest {
  const { action, fields } = random.pick(forms);
  const sent = random.chance(0.15) ? fields : changed(random, fields);
  const path = random.chance(0.03) ? brokenPath(random, action) : action;
  const post = { path, method: random.chance(0.02) ? 'PUT' : 'POST' };
  if (random.chance(0.06)) {
    const boundary = random.pick(['----b', 'b', "b'"]);
    const parts = sent.map(
      ([name, text]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${random.chance(0.2) ? '; filename="a.pdf"' : ''}\r\n\r\n${text}\r\n`,
    );
    const end = random.chance(0.8) ? `--${boundary}--\r\n` : '';
    const type = `multipart/form-data; boundary=${boundary}`;
    return { ...post, headers: { 'content-type': type }, body: parts.join('') + end };
  }
  const type = random.chance(0.96)
    ? 'application/x-www-form-urlencoded'
    : random.pick(['application/json', 'text/plain', ';', 'multipart/form-data; boundary=']);
  const body = new URLSearchParams(sent).toString();
  return {
    ...post,
    headers: { 'content-type': type },
    body: random.chance(0.03) ? `${body}&%ff=%zz&=` : body,
  };
}

/** Replaces, removes, repeats or adds one or two fields. */
function changed(random: Random, fields: readonly [string, string][]): [string, string][] {
  const sent = fields.map(([name, text]): [string, string] => [name, text]);
  for (let count = random.between(1, 2); count > 0; count -= 1) {
    const at = random.below(sent.length + 1);
    const [name = random.pick(['unknown', '__proto__', 'constructor', '']), text = ''] = sent[at] ?? [];
    // The token of the form changes rarely, because without it no other field is checked.
    if (name === 'csrf' || name === 'form' ? !random.chance(0.1) : false) continue;
    const replaced = random.weighted<[string, string][]>([
      [[[name, value(random)]], 6],
      [[], 1],
      [
        [
          [name, text],
          [name, value(random)],
        ],
        1,
      ],
    ]);
    sent.splice(at, 1, ...replaced);
  }
  return sent;
}

const value = (random: Random): string =>
  random.weighted([
    [script, 2],
    [random.pick(hostileStrings), 5],
    [random.pick(['', ' ', '0', '-1', '1e9', 'NaN', '99999999999999999999', '9999-12-31', '0001-01-01']), 3],
    [random.pick(['a@b', 'smtp://127.0.0.1:9', 'http://127.0.0.1:9/hook', '//127.0.0.1', 'javascript:x']), 2],
    ['x'.repeat(random.pick([101, 257, 5_000, 20_000])), 1],
  ]);

const hostileSegments = [
  '%00',
  '%zz',
  '%ff',
  '..',
  '%2e%2e%2f',
  '%3Cscript%3Efuzz()%3C%2Fscript%3E',
  'null',
  'x'.repeat(3_000),
];

function brokenPath(random: Random, path: string): string {
  const segments = path.split('/');
  segments[random.between(1, segments.length - 1)] = random.pick(hostileSegments);
  return segments.join('/');
}

const isHostilePath = (path: string): boolean =>
  path.split('/').some((segment) => hostileSegments.includes(segment));

/** Returns the fault of an answer of a page, or null. */
export function verdictOfPage(
  { mayLeadTo }: Pick<Visitor, 'mayLeadTo'>,
  { status, headers, text }: HostileAnswer,
): string | null {
  if (!statuses.has(status)) return `status ${status}`;
  if (text.includes(script)) return 'a script was shown as it came';
  if (/\n {4}at \S+ \(?\S+:\d+:\d+/.test(text)) return 'a stack trace';
  const location = headers.get('location');
  if (location !== null) return mayLeadTo(location) ? null : `leads to ${location.slice(0, 100)}`;
  if (status === 302 || status === 303) return 'leads nowhere';
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/html')) return verdictOfHtml(headers, text);
  if (type.startsWith('application/json') && status >= 400) {
    return refusalIn(JSON.parse(text), status) === null ? `no documented code with ${status}` : null;
  }
  return status === 200 ? null : `${status} as ${type}`;
}

function verdictOfHtml(headers: Headers, text: string): string | null {
  const policy = headers.get('content-security-policy') ?? '';
  if (policy === '' || /(?:script|default)-src[^;]*'unsafe-/.test(policy)) return `policy "${policy}"`;
  return /<h1\b/.test(text) ? null : 'a page without a heading';
}
