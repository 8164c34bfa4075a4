import { type CallExpression, type Expression, parseSync } from '@swc/core';
import { idsOf } from './ids.ts';

/** A test's guarantee and the requirements it proves. */
export interface Proof {
  title: string;
  ids: string[];
}

/**
 * Returns every `proves('guarantee', 'PAY-02', …)` of a test file. Rows of tables count; tests that do not
 * run do not.
 */
export function proofsOf(source: string): Proof[] {
  const proofs: Proof[] = [];
  visit(parseSync(source, { syntax: 'typescript', target: 'es2022' }), proofs);
  return proofs;
}

function visit(node: unknown, proofs: Proof[]): void {
  if (typeof node !== 'object' || node === null) return;
  if (isCall(node)) {
    if (isSkipped(node.callee)) return;
    if (node.callee.type === 'Identifier' && node.callee.value === 'proves') proofs.push(proofOf(node));
  }
  for (const value of Object.values(node)) visit(value, proofs);
}

function isCall(node: object): node is CallExpression {
  return 'type' in node && node.type === 'CallExpression';
}

function proofOf(call: CallExpression): Proof {
  const [title = '', ...lists] = call.arguments.map(({ expression }) => textOf(expression));
  return { title, ids: lists.flatMap((list) => idsOf(list)) };
}

function textOf(node: Expression): string {
  if (node.type === 'StringLiteral') return node.value;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ raw }) => raw).join('…');
  return '…';
}

/** `it.skip(…)`, `it.skip.each(…)(…)`, `it.todo(…)`, `xit(…)`. */
function isSkipped(callee: CallExpression['callee']): boolean {
  if (callee.type === 'CallExpression') return isSkipped(callee.callee);
  if (callee.type === 'Identifier') return /^x(it|test|describe)$/.test(callee.value);
  if (callee.type !== 'MemberExpression') return false;
  const { property, object } = callee;
  const isOne = property.type === 'Identifier' && ['skip', 'todo', 'failing'].includes(property.value);
  return isOne || isSkipped(object);
}
