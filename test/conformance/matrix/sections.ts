import { idsOf } from './ids.ts';

/** A heading of a Markdown file that names requirements: `## Polling (POLL-01 to -06)`. */
export interface Section {
  heading: string;
  ids: string[];
  /** The fragment of a link to it. */
  anchor: string;
}

/** Returns the headings of a Markdown text that carry ids in brackets. */
export function sectionsOf(markdown: string): Section[] {
  return [...markdown.matchAll(/^#{2,4} (.+)$/gm)].flatMap(([, heading = '']) => {
    const ids = idsOf(/\(([^()]*)\)$/.exec(heading)?.[1] ?? '');
    return ids.length === 0 ? [] : [{ heading, ids, anchor: anchorOf(heading) }];
  });
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
