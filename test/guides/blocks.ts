/**
 * Reads the code blocks of guides. A block that is marked `run` belongs to the program of its language. One
 * that is marked `run operation=createPayment` is also the sample of that operation in the reference.
 */

/** The languages of the guides, in the order in which a task shows them. */
export const languages = ['sh', 'ts', 'python'] as const;
export type Language = (typeof languages)[number];

/** A code block of a guide. */
export interface Block {
  language: Language;
  /** What stands on its fence behind the language. */
  mark: string;
  /** Whether it belongs to the guide's program. */
  runs: boolean;
  /** The operation whose sample it is; null for none. */
  operation: string | null;
  /** The line of its first line of code, from 1. */
  line: number;
  lines: string[];
}

/** The blocks of one language of one guide that run, in order. */
export interface Program {
  /** Path of the guide from the root of the repository. */
  file: string;
  language: Language;
  blocks: Block[];
  /** The code, in which every line has the number that it has in the guide. */
  source: string;
}

/** Returns the code blocks of a guide in the three languages; other blocks are left out. */
export function blocksOf(text: string): Block[] {
  const found: Block[] = [];
  let open: Block | null = null;
  let isOther = false;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^```(\w*)(.*)$/.exec(line);
    if (fence === null) {
      open?.lines.push(line);
    } else if (open !== null || isOther) {
      open = null;
      isOther = false;
    } else {
      const language = languages.find((name) => name === fence[1]);
      isOther = language === undefined;
      if (language === undefined) continue;
      const mark = (fence[2] ?? '').trim();
      const marked = /^run(?: operation=(\w+))?$/.exec(mark);
      const operation = marked?.[1] ?? null;
      open = { language, mark, runs: marked !== null, operation, line: index + 2, lines: [] };
      found.push(open);
    }
  }
  return found;
}

/** Returns the programs of a guide, one for each language in which a block runs. */
export function programsOf(file: string, text: string): Program[] {
  const blocks = blocksOf(text).filter(({ runs }) => runs);
  return languages
    .map((language) => {
      const own = blocks.filter((block) => block.language === language);
      return { file, language, blocks: own, source: sourceOf(own) };
    })
    .filter((program) => program.blocks.length > 0);
}

function sourceOf(blocks: readonly Block[]): string {
  const lines: string[] = [];
  for (const block of blocks) {
    while (lines.length < block.line - 1) lines.push('');
    lines.push(...block.lines);
  }
  return `${lines.join('\n')}\n`;
}

/** Returns the index of the block that holds a line of the guide; null where none does. */
export function blockAt(blocks: readonly Block[], line: number): number | null {
  const at = blocks.findIndex((block) => line >= block.line && line < block.line + block.lines.length);
  return at === -1 ? null : at;
}
