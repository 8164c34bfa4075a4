import { parseSync } from '@swc/core';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One or more ids, as proofs and headings carry them: `PAY-02`, `URL-01, URL-02`, `LIMIT-01 to -07`. */
const idList = /^((?:[A-Z]+-\d{2})(?:(?:, | and | to )(?:[A-Z]+)?-\d{2})*)$/;

/** The ids of a list such as `CAPTURE-05, -06`; empty when it is none. */
export function idsOf(text) {
  const list = idList.exec(text)?.[1];
  return list === undefined ? [] : expand(list);
}

/** `CREATE-05 to -09` is five ids. */
function expand(list) {
  const ids = [];
  let group = '';
  let last = 0;
  for (const part of list.matchAll(/(, | and | to )?([A-Z]*)-(\d{2})/g)) {
    const [, joint, name, digits] = part;
    if (name) group = name;
    const number = Number(digits);
    const first = joint === ' to ' ? last + 1 : number;
    for (let each = first; each <= number; each += 1) ids.push(`${group}-${String(each).padStart(2, '0')}`);
    last = number;
  }
  return ids;
}

/** Every `proves('guarantee', 'PAY-02', …)` of a test file; rows count, tests that do not run do not. */
export function proofsOf(source) {
  const proofs = [];
  visit(parseSync(source, { syntax: 'typescript', tsx: true, target: 'es2022' }), proofs);
  return proofs;
}

function visit(node, proofs) {
  if (Array.isArray(node)) return node.forEach((each) => visit(each, proofs));
  if (typeof node !== 'object' || node === null) return;
  if (node.type === 'CallExpression' && isSkipped(node.callee)) return;
  if (node.type === 'CallExpression' && node.callee.value === 'proves') {
    const [title = '', ...lists] = node.arguments.map(({ expression }) => textOf(expression));
    proofs.push({ title, ids: lists.flatMap((list) => idsOf(list)) });
  }
  for (const value of Object.values(node)) visit(value, proofs);
}

function textOf(node) {
  if (node.type === 'StringLiteral') return node.value;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ raw }) => raw).join('…');
  return '…';
}

/** `it.skip(…)`, `it.skip.each(…)(…)`, `it.todo(…)`, `xit(…)`. */
function isSkipped(callee) {
  if (callee?.type === 'CallExpression') return isSkipped(callee.callee);
  if (callee?.type === 'Identifier') return /^x(it|test|describe)$/.test(callee.value);
  if (callee?.type !== 'MemberExpression') return false;
  return ['skip', 'todo', 'failing'].includes(callee.property.value) || isSkipped(callee.object);
}

/** Files below a directory, sorted, so that the document is the same everywhere. */
export function filesBelow(directory, pattern) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** Headings of a Markdown file that carry ids in brackets, with their anchors: `## Polling (POLL-01 to -06)`. */
export function sectionsOf(path) {
  const sections = [];
  for (const [, heading] of readFileSync(path, 'utf8').matchAll(/^#{2,4} (.+)$/gm)) {
    const ids = idsOf(/\(([^()]*)\)$/.exec(heading)?.[1] ?? '');
    if (ids.length > 0) sections.push({ heading, ids, anchor: anchorOf(heading) });
  }
  return sections;
}

const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
