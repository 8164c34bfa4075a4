/** One or more ids in the form of proofs and headings: `PAY-02`, `URL-01, URL-02`, `LIMIT-01 to -07`. */
const idList = /^((?:[A-Z]+-\d{2})(?:(?:, | and | to )(?:[A-Z]+)?-\d{2})*)$/;

/** Returns the ids of a list such as `CAPTURE-05, -06`; empty when the text is not a list. */
export function idsOf(text: string): string[] {
  const list = idList.exec(text)?.[1];
  return list === undefined ? [] : expand(list);
}

/** Returns the ids of a list: `CREATE-05 to -09` is five ids. */
function expand(list: string): string[] {
  const ids: string[] = [];
  let group = '';
  let last = 0;
  for (const [, joint, name, digits] of list.matchAll(/(, | and | to )?([A-Z]*)-(\d{2})/g)) {
    if (name) group = name;
    const number = Number(digits);
    const first = joint === ' to ' ? last + 1 : number;
    for (let each = first; each <= number; each += 1) ids.push(`${group}-${String(each).padStart(2, '0')}`);
    last = number;
  }
  return ids;
}
