import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

/** The rules of functions and types, checked in the syntax trees. Each failure names the place. */

const root = fileURLToPath(new URL('../../', import.meta.url));

const maxLines = 100;
const maxParameters = 5;

/** They create all dependencies of their process, one after the other, without any decision. */
const composeRoots = ['src/api/compose.ts composeApi', 'src/worker/compose.ts composeWorker'];

interface Found {
  /** Functions with more lines than allowed, by name. */
  long: string[];
  /** Lines of functions, signatures and function types with more parameters than allowed. */
  wide: number[];
  /** Lines of casts of values that are already cast. */
  doubleCasts: number[];
}

/** The members of a syntax tree's node that the rules read (ESTree, with TypeScript's nodes). */
interface Node {
  type: string;
  start: number;
  end: number;
  /** For functions, their signatures and types. */
  params?: unknown[];
  id?: { name: string } | null;
  /** For casts and parentheses. */
  expression?: Node;
}

function* nodesBelow(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && 'start' in value) yield value as Node;
  for (const child of Object.values(value)) yield* nodesBelow(child);
}

/** Returns the violations in a source. Throws when it cannot be parsed. */
function inspect(name: string, source: string): Found {
  const { program, errors } = parseSync(name, source);
  const [error] = errors;
  if (error) throw new Error(`${name}: ${error.message}`);
  const found: Found = { long: [], wide: [], doubleCasts: [] };
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length;
  for (const node of nodesBelow(program)) {
    if (node.params && node.params.length > maxParameters) found.wide.push(lineAt(node.start));
    if (isFunction(node) && lineAt(node.end) - lineAt(node.start) >= maxLines) {
      found.long.push(node.id?.name ?? `line ${lineAt(node.start)}`);
    }
    if (isCast(node) && isCast(unwrapped(node.expression))) found.doubleCasts.push(lineAt(node.start));
  }
  return found;
}

const isFunction = ({ type }: Node): boolean =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(type);

const isCast = (node: Node | undefined): boolean =>
  node?.type === 'TSAsExpression' || node?.type === 'TSTypeAssertion';

/** Returns the expression in parentheses, or the node itself. */
const unwrapped = (node: Node | undefined): Node | undefined =>
  node?.type === 'ParenthesizedExpression' ? unwrapped(node.expression) : node;

const filesBelow = (directory: string): string[] =>
  readdirSync(join(root, directory), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|m?js)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted();

const inspectAll = (directories: string[]): [file: string, found: Found][] =>
  directories
    .flatMap(filesBelow)
    .map((file) => [file, inspect(file, readFileSync(join(root, file), 'utf8'))]);

const program = inspectAll(['src', 'simulators', 'local-stack']);
const everything = [...program, ...inspectAll(['test', 'scripts'])];

describe('the functions of the program', () => {
  it('have 100 lines at most, but for the roots that compose a process', () => {
    const long = program.flatMap(([file, found]) => found.long.map((name) => `${file} ${name}`));
    // A root that became short must be removed from the list.
    expect(long).toEqual(composeRoots);
  });

  it('have five parameters at most, those of tests and scripts too', () => {
    expect(everything.flatMap(([file, { wide }]) => wide.map((line) => `${file}:${line}`))).toEqual([]);
  });

  it('cast nothing twice, those of tests and scripts too', () => {
    const casts = everything.flatMap(([file, found]) => found.doubleCasts.map((line) => `${file}:${line}`));
    expect(casts).toEqual([]);
  });

  it('are read from every file', () => {
    expect(program.length).toBeGreaterThan(400);
    expect(everything.length).toBeGreaterThan(program.length + 200);
  });
});

describe('each rule', () => {
  const lines = (count: number): string => '\n'.repeat(count);
  const six = 'a: 1, b: 2, c: 3, d: 4, e: 5, f: 6';
  const five = 'a: 1, b: 2, c: 3, d: 4, e: 5';

  it.each([
    ['a declaration', `function long() {${lines(100)}}`, 'long'],
    ['an arrow', `\nconst long = () => {${lines(100)}};`, 'line 2'],
    ['a method', `class A { long() {${lines(100)}} }`, 'line 1'],
    ['a component', `function Long() { return <p>${lines(100)}</p>; }`, 'Long'],
  ])('finds %s of 101 lines', (_what, source, name) => {
    expect(inspect('a.tsx', source).long).toEqual([name]);
  });

  it('accepts a function of 100 lines', () => {
    expect(inspect('a.ts', `function long() {${lines(99)}}`).long).toEqual([]);
  });

  it.each([
    ['a declaration', `function wide(${six}) {}`],
    ['an arrow', `const wide = (${six}) => 1;`],
    ['a method', `class A { wide(${six}) {} }`],
    ['a constructor', `class A { constructor(${six}) {} }`],
    ['a type', `type Wide = (${six}) => void;`],
    ['a signature', `interface A { wide(${six}): void }`],
  ])('finds %s of six parameters, and accepts five', (_what, source) => {
    expect(inspect('a.ts', source).wide).toEqual([1]);
    expect(inspect('a.ts', source.replace(six, five)).wide).toEqual([]);
  });

  it.each([
    ['over unknown', 'const a = b as unknown as C;'],
    ['over another type', 'const a = b as object as C;'],
    ['in parentheses', 'const a = (b as unknown) as C;'],
    ['in angle brackets', 'const a = <C><unknown>b;'],
    ['in both ways', 'const a = <C>(b as unknown);'],
  ])('finds a double cast %s', (_what, source) => {
    expect(inspect('a.ts', source).doubleCasts).toEqual([1]);
  });

  it('accepts one cast, and the words in a comment', () => {
    const source = '// as unknown as C\nconst a = b as C;\nconst c = f(b as C) as C;';
    expect(inspect('a.ts', source).doubleCasts).toEqual([]);
  });
});
