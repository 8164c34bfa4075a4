/** Counts of V8's block coverage for one script, as in the files of NODE_V8_COVERAGE. */
export interface ScriptCounts {
  url: string;
  functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[];
}

/** The beginning of a module in a webpack bundle, and the last line that webpack puts before its code. */
const moduleBegins = /^\/\*{3}\/ "\.\/src\/([^"]+)"$/;
const headerLine = /^(__webpack_require__\.r\(|\/\* harmony (import|export) \*\/)/;

/** Returns for each line of a script whether any of its characters was executed. */
export function executedLines(text: string, { functions }: Pick<ScriptCounts, 'functions'>): boolean[] {
  const executed = new Uint8Array(text.length);
  // An inner range is applied after those around it.
  const ranges = functions
    .flatMap((counted) => counted.ranges)
    .toSorted((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset);
  for (const { startOffset, endOffset, count } of ranges) {
    executed.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  let at = 0;
  return text.split('\n').map((line) => {
    const begins = at + line.length - line.trimStart().length;
    const ends = at + line.trimEnd().length;
    at += line.length + 1;
    return executed.subarray(begins, ends).includes(1);
  });
}

/**
 * Returns the executed lines of each module in a webpack bundle, by its path below `src`. webpack keeps the
 * lines of a compiled module and leaves those of its imports empty. `isAdded`: lines that the module lacks.
 */
export function modulesOf(
  bundle: string,
  executed: readonly boolean[],
  isAdded: (line: string) => boolean = () => false,
): Map<string, boolean[]> {
  const modules = new Map<string, boolean[]>();
  let current: boolean[] | null = null;
  let isHeader = true;
  for (const [index, line] of bundle.split('\n').entries()) {
    const begun = moduleBegins.exec(line)?.[1];
    if (line.startsWith('/***/ ')) current = null;
    if (begun !== undefined) {
      current = [];
      isHeader = true;
      modules.set(begun, current);
    } else if (current && !isAdded(line)) {
      // The lines of the header come before the first line of the module.
      if (isHeader && headerLine.test(line)) current.length = 0;
      else current.push(executed[index] ?? false);
    }
  }
  return modules;
}

/** Returns the numbers, from 1, of a compiled module's lines with code: no comments, imports, brackets. */
export function linesWithCode(text: string): number[] {
  const numbers: number[] = [];
  let inComment = false;
  for (const [index, line] of text.split('\n').entries()) {
    const code = line.trim();
    inComment ||= code.startsWith('/*');
    if (!inComment && !/^$|^\/\/|^[\])};,{]+$|^import |^export (\{|\*)/.test(code)) numbers.push(index + 1);
    if (code.includes('*/')) inComment = false;
  }
  return numbers;
}

/** Returns numbers as text, with ranges: `1, 3-5`. */
export function inRanges(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}
