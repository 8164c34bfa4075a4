export function idsOf(text: string): string[];
export function proofsOf(source: string): { title: string; ids: string[] }[];
export function filesBelow(directory: string, pattern: RegExp): string[];
export function sectionsOf(path: string): { heading: string; ids: string[]; anchor: string }[];
