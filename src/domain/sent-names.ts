/**
 * Names that a caller sent, such as those of fields, parameters and path segments. This file decides which of
 * them a message may repeat, and which known name was meant. ADR 0033.
 */

const quotable = /^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/;
/** Numbers, tokens and keys have more digits than names. */
const maxDigits = 4;
/** The beginnings of credentials of this service and of providers. */
const credential = /^(?:cps|tok|whsec|sk|pk|rk|pi|pm|seti)_/i;

/**
 * Returns whether a message may repeat a name: a short identifier in ASCII that can hold neither a card
 * number nor a key, token or secret.
 */
export function isQuotable(name: string): boolean {
  return quotable.test(name) && !credential.test(name) && name.replaceAll(/[^0-9]/g, '').length <= maxDigits;
}

/** Returns a name in the form in which it is compared: its letters and digits in lower case. */
const folded = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Below this length a common beginning proves nothing. */
const shortestBeginning = 4;

/**
 * Returns the known name that a caller most likely meant, or null. It is the same except for case and
 * separators, begins with the other or the other with it (`amount`, `amountCents`), or differs in few
 * letters.
 */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (!isQuotable(name)) return null;
  const sent = folded(name);
  const ranked = known
    .map((candidate) => ({ candidate, distance: distanceOf(sent, folded(candidate)) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= Math.max(1, Math.floor(sent.length / 4)) ? best.candidate : null;
}

function distanceOf(sent: string, known: string): number {
  const shorter = Math.min(sent.length, known.length);
  const begins = shorter >= shortestBeginning && (known.startsWith(sent) || sent.startsWith(known));
  return begins && sent !== known ? 1 : editDistance(sent, known);
}

/** Returns the Levenshtein distance: letters to insert, remove or replace. Quadratic; names are short. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [line, letter] of Array.from(from).entries()) {
    const next = [line + 1];
    for (const [at, other] of Array.from(to).entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The parts of a message about an unknown name: `kind` is "field" or "query parameter". */
interface UnknownName {
  kind: string;
  name: string;
  known: readonly string[];
  /** The object that holds the field, if it is not the body itself. */
  holder?: string | undefined;
  /** The advice when no known name is near, such as "This endpoint takes page, perPage." */
  otherwise?: string;
}

/** Returns the sentences about an unknown name: the name if it may be repeated, and the nearest known one. */
export function unknownName({ kind, name, known, holder, otherwise }: UnknownName): string {
  const where = holder === undefined ? '' : ` in ${holder}`;
  const fault = `Unknown ${kind}${isQuotable(name) ? ` "${name}"` : ''}${where}.`;
  const near = nearestName(name, known);
  const advice = near === null ? otherwise : `Did you mean "${near}"?`;
  return advice === undefined ? fault : `${fault} ${advice}`;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const maxSegments = 6;

/**
 * Returns the path of a request under /v1 without its query, in the form that a message may repeat: segments
 * that are neither names nor UUIDs become "…", and so does everything after the sixth.
 */
export function quotablePath(url: string): string {
  const segments = (url.split(/[?#]/, 1)[0] ?? '').split('/').slice(1);
  const shown = segments
    .slice(0, maxSegments)
    .map((segment) => (segment === '' || uuid.test(segment) || isQuotable(segment) ? segment : '…'));
  return `/${[...shown, ...(segments.length > maxSegments ? ['…'] : [])].join('/')}`;
}
