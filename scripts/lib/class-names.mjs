import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the dashboard's pages and their script name, as far as a style can select it.
 * @typedef {object} NamedInPages
 * @property {Set<string>} classes the names in class attributes
 * @property {Set<string>} words classes that an expression chooses, and values of attributes: the words of
 *   every quoted text, and numbers
 * @property {Set<string>} attributes the names of attributes, in lower case
 * @property {Set<string>} elements
 */

/**
 * Reads the names from the pages below `folder` (`*.tsx`) and from the script that they load.
 * @param {string} folder
 * @returns {NamedInPages}
 */
export function namedInPages(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx$|^assets\/.*\.js$/.test(name))
    .sort();
  return namedIn(paths.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n'));
}

/** Texts that an expression compares and does not yield. */
const comparisons = /[!=]== '[^']*'/g;

/**
 * @param {string} source
 * @returns {NamedInPages}
 */
export function namedIn(source) {
  // An expression may hold a template with expressions of its own.
  const attributes = source.matchAll(/\bclass=(?:"([^"]*)"|\{((?:[^{}]|\{[^{}]*\})*)\})/g);
  const classes = [...attributes].flatMap(([, plain, expression = '']) =>
    plain === undefined ? [...quotedWords(expression.replaceAll(comparisons, ''))] : wordsOf(plain),
  );
  const keys = [...source.matchAll(/(?<![\w-])([a-z][a-zA-Z-]*)(?==|['"]?:|(?<=\sdata-[a-z-]+)[\s>])/g)].map(
    ([, name = '']) => name,
  );
  const numbers = [...source.matchAll(/=\{(-?\d+)\}/g)].map(([, number = '']) => number);
  return {
    classes: new Set(classes),
    words: new Set([...quotedWords(source), ...numbers]),
    attributes: new Set(keys.map((name) => name.toLowerCase())),
    elements: new Set(
      [...source.matchAll(/(?:<|createElement\(')([a-z][a-z0-9]*)/g)].map(([, name = '']) => name),
    ),
  };
}

/**
 * Returns the words of every quoted text. Inside a template its expressions are left out, their texts are
 * not.
 * @param {string} source
 * @returns {Set<string>}
 */
function quotedWords(source) {
  const texts = [...source.matchAll(/"([^"\n]*)"|'([^'\n]*)'|`([^`]*)`/g)];
  return new Set(
    texts.flatMap(([, double, single, template]) =>
      template === undefined
        ? wordsOf(double ?? single ?? '')
        : [...wordsOf(template.replaceAll(/\$\{[^}]*\}/g, ' ')), ...quotedWords(template)],
    ),
  );
}

/** @param {string} text */
const wordsOf = (text) => text.split(/\s+/).filter((word) => word !== '');
