/** @typedef {import('./class-names.mjs').NamedInPages} NamedInPages */

/**
 * Removes the rules of a style sheet that match nothing in the pages, and what is empty without them.
 * @template {import('postcss').Container} Sheet
 * @param {Sheet} sheet
 * @param {NamedInPages} named
 */
export function withoutUnused(sheet, named) {
  sheet.walkRules((rule) => {
    if (rule.parent?.type === 'atrule' && /keyframes$/.test(/** @type {any} */ (rule.parent).name)) return;
    const kept = rule.selectors.filter((selector) => isUsed(selector, named));
    if (kept.length === 0) rule.remove();
    else if (kept.length < rule.selectors.length) rule.selectors = kept;
  });
  sheet.walk((node) => {
    if ('nodes' in node && node.nodes !== undefined && node.nodes.length === 0) node.remove();
  });
  return sheet;
}

/**
 * Whether every class, attribute and element that a selector requires is named in the pages. Of `:is(a, b)`
 * one must be; what `:not(…)` names may be missing.
 * @param {string} selector
 * @param {NamedInPages} named
 * @returns {boolean}
 */
export function isUsed(selector, named) {
  let rest = selector.replaceAll(
    /(["'])(.*?)\1/g,
    (_, quote, text) => quote + text.replaceAll(/[()]/g, '') + quote,
  );
  for (;;) {
    // The innermost group, so that a group in a group is decided first.
    const group = /(:[\w-]+)?\(([^()]*)\)/.exec(rest);
    if (group === null) return hasAll(rest, named);
    const [whole, name, inner = ''] = group;
    const needs = name === ':is' || name === ':where' || name === ':has';
    if (needs && !inner.split(',').some((one) => hasAll(one, named))) rest = rest.replace(whole, '.\0');
    else rest = rest.replace(whole, '');
  }
}

/**
 * @param {string} selector without parentheses
 * @param {NamedInPages} named
 */
function hasAll(selector, { words, attributes, elements }) {
  const conditions = [...selector.matchAll(/\[([\w-]+)(?:([~|^$*]?)=["']?([^"'\]]*)["']?)?[^\]]*\]/g)];
  const plain = selector.replaceAll(/\[[^\]]*\]/g, '').replaceAll(/::?[\w-]+/g, '');
  return (
    conditions.every(
      ([, name = '', operator, value]) =>
        attributes.has(name) &&
        // What a field holds is data.
        (value === undefined || operator !== '' || name === 'value' || words.has(value)),
    ) &&
    [...plain.matchAll(/\.([^\s.#>+~,&*]+)/g)].every(([, name = '']) => words.has(name)) &&
    [...plain.matchAll(/(?<![\w.#-])([a-z][a-z0-9]*)/g)].every(([, name = '']) => elements.has(name))
  );
}
