/** A decoded form: text, a list, or members. Lists and members come from brackets in the names. */
export type FormValue = string | FormValue[] | { [name: string]: FormValue };
export type Form = Record<string, FormValue>;

const MAX_FIELDS = 1_000;
const MAX_DEPTH = 6;

/**
 * Decodes `application/x-www-form-urlencoded` with brackets, as Stripe's clients send it:
 * `metadata[paymentId]=…`, `expand[]=…`, `expand[0]=…`. Returns null when it has too many fields, is nested
 * too deep, or uses one name both as text and as a group.
 */
export function decodeForm(text: string): Form | null {
  const form = emptyGroup();
  const fields = [...new URLSearchParams(text)];
  if (fields.length > MAX_FIELDS) return null;
  for (const [name, value] of fields) {
    const path = pathOf(name);
    if (path === null || !put(form, path, value)) return null;
  }
  return listsOf(form) as Form;
}

/** Members without a prototype, so that a name such as `__proto__` is an ordinary name. */
const emptyGroup = (): Form => Object.create(null) as Form;

function pathOf(name: string): string[] | null {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!match) return null;
  const [, head = '', brackets = ''] = match;
  const path = [head, ...[...brackets.matchAll(/\[([^[\]]*)\]/g)].map(([, inner = '']) => inner)];
  return path.length > MAX_DEPTH ? null : path;
}

function put(form: Form, path: string[], value: string): boolean {
  let group = form;
  for (const [at, part] of path.entries()) {
    const name = part === '' ? String(Object.keys(group).length) : part;
    const known = group[name];
    if (at === path.length - 1) {
      if (typeof known === 'object') return false;
      group[name] = value;
      return true;
    }
    if (typeof known === 'string' || Array.isArray(known)) return false;
    group = group[name] = known ?? emptyGroup();
  }
  return true;
}

/** Groups whose names are 0, 1, 2 … are lists. */
function listsOf(value: FormValue): FormValue {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const names = Object.keys(value);
  if (names.length > 0 && names.every((name, at) => name === String(at))) {
    return names.map((name) => listsOf(value[name] ?? ''));
  }
  for (const name of names) value[name] = listsOf(value[name] ?? '');
  return value;
}
