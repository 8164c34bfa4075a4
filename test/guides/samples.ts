import { type Block, type Language, blocksOf, languages } from './blocks.ts';

/** The text of a guide. */
export interface Guide {
  /** Path from the root of the repository. */
  file: string;
  text: string;
}

/** The samples of the reference: the code of the block that shows an operation, by operation and language. */
export type Samples = Record<string, Record<Language, string>>;

type Placed = Block & { place: string };

/**
 * Returns the samples that the guides have for these operations, in their order, and what is wrong: a mark
 * that is not known, an operation that is not known, a second sample, or a missing one. Each fault begins
 * with the guide's file and line.
 */
export function samplesOf(
  guides: readonly Guide[],
  operations: readonly string[],
): { samples: Samples; faults: string[] } {
  const blocks: Placed[] = guides.flatMap(({ file, text }) =>
    blocksOf(text).map((block) => ({ ...block, place: `${file}:${block.line - 1}` })),
  );
  const faults = blocks.flatMap((block) => faultsOf(block, operations));
  const samples: Samples = {};
  for (const operation of operations) {
    const shown = blocks.filter((block) => block.operation === operation);
    const first = (language: Language): Placed | undefined =>
      shown.find((block) => block.language === language);
    const again = shown.filter((block) => block !== first(block.language));
    faults.push(
      ...again.map(({ place, language }) => `${place}: a second block shows ${operation} in ${language}`),
    );
    const missing = languages.filter((language) => first(language) === undefined);
    const where = shown[0]?.place ?? `${guides.at(-1)?.file ?? 'docs/guides'}:1`;
    faults.push(...missing.map((language) => `${where}: no block shows ${operation} in ${language}`));
    const sources = languages.map((language) => [language, first(language)?.lines.join('\n') ?? ''] as const);
    samples[operation] = Object.fromEntries(sources) as Record<Language, string>;
  }
  return { samples, faults };
}

function faultsOf({ mark, runs, operation, place }: Placed, operations: readonly string[]): string[] {
  if (mark !== '' && !runs) return [`${place}: the mark "${mark}" is not known: run, or run operation=ID`];
  if (operation === null || operations.includes(operation)) return [];
  return [`${place}: the document has no operation "${operation}"`];
}
